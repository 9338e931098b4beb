import type { ContainerState } from '../../ports/container.ts';
import { neverGoesBack, same, sameFields } from '../expect.ts';
import type { Chapter } from '../law.ts';
import { entries, FIRST, Mirror, type RegisterHand, SECOND } from '../register-hand.ts';
import type { Watching } from '../watching.ts';

const FIRST_RULE = 'Container.watch: first reports the full state, never inside of the call';
const STOP_RULE = 'Container.watch: returns the function that stops it; no call comes after that';

export const registerWatching: Chapter = {
  title: 'register: watching',
  laws: [
    {
      name: 'a watch first reports the full state, an empty one too',
      rule: FIRST_RULE,
      async prove(trial) {
        const [one, two] = await trial.two();
        const empty = one.register.watch();
        await empty.first();
        same(
          empty.items[0],
          { version: 0n, fence: null, full: true, changed: new Map() },
          'the first report when empty',
        );
        const version = await one.register.put(0n, ['a', 'b']);
        for (const { register } of [one, two]) {
          const watching = register.watch();
          await watching.first();
          const whole = { version, fence: FIRST, full: true, changed: entries(['a', 'b'], FIRST) };
          same(watching.items[0], whole, 'the first report of a register with two entries');
        }
      },
    },
    {
      name: 'a watch reports what its own handle and others write',
      rule: 'Container.watch: first the full state, then what changes',
      async prove(trial) {
        const [one, two] = await trial.two();
        const watches = [one.register.watch(), two.register.watch()];
        const first = await one.register.put(0n, ['a', 'b', 'c']);
        await allReach(watches, first);
        const second = await one.register.put(first, ['b'], FIRST, 'http://new');
        await allReach(watches, second);
        const third = await two.register.withdraw(second, ['a']);
        await allReach(watches, third);
        const stored = new Map((await one.register.state()).changed);
        for (const watching of watches) same(mirrored(watching.items), stored, 'what the reports of a watch add up to');
      },
    },
    {
      name: 'a watch brings only what changed',
      rule: 'Container.watch: first the full state, then what changes',
      needs: 'differences',
      async prove(trial) {
        const [one, two] = await trial.two();
        const version = await one.register.put(0n, ['a', 'b', 'c']);
        const watches = [one.register.watch(), two.register.watch()];
        await allReach(watches, version);
        const next = await one.register.put(version, ['b'], FIRST, 'http://new');
        await allReach(watches, next);
        const put = { full: false, changed: entries(['b'], FIRST, 'http://new') };
        for (const watching of watches) sameFields(watching.last ?? {}, put, 'the report of one put');
        await allReach(watches, await two.register.withdraw(next, ['a']));
        const withdrawn = { full: false, changed: new Map([['a', null]]) };
        for (const watching of watches) sameFields(watching.last ?? {}, withdrawn, 'the report of one withdrawal');
      },
    },
    {
      name: 'a watch reports touches: a new fence has to reach followers',
      rule: 'ContainerState.fence: the fence as of this version',
      async prove(trial) {
        const [one, two] = await trial.two();
        const version = await one.register.put(0n, ['a']);
        const watching = two.register.watch();
        await allReach([watching], version);
        const raised = await one.register.commit({ expectedVersion: version, fence: SECOND });
        await allReach([watching], raised);
        same(watching.last?.fence, SECOND, 'the fence of the newest report');
      },
    },
    {
      name: 'watches come in version order and add up to the stored map while two participants write',
      rule: 'Container.watch: in version order',
      async prove(trial) {
        const [one, two] = await trial.two();
        const watches = [one.register.watch(), two.register.watch()];
        let version = 0n;
        for (let n = 0; n < 45; n += 1) {
          const { register } = n % 2 ? one : two;
          if (n % 3 === 2) version = await register.withdraw(version, [`job-${n - 1}`]);
          else version = await register.put(version, [`job-${n}`, 'busy'], FIRST, `http://${n}`);
        }
        await allReach(watches, version);
        const stored = new Map((await one.register.state()).changed);
        for (const { items } of watches) {
          neverGoesBack(
            items.map((item) => item.version),
            'the versions that a watch reported',
          );
          same(mirrored(items), stored, 'what the reports of a watch add up to');
        }
      },
    },
    {
      name: 'a watch of the register that was stopped is silent',
      rule: STOP_RULE,
      async prove(trial) {
        const [one, two] = await trial.two();
        const never = one.register.watch();
        never.stop();
        never.stop();
        const stopped = one.register.watch();
        const witness = one.register.watch();
        const version = await two.register.put(0n, ['a']);
        await allReach([stopped], version);
        stopped.stop();
        stopped.stop();
        const before = stopped.items.length;
        await reachesTwice(witness, two.register, version);
        same(never.items, [], 'reports of a watch that was stopped at once');
        same(stopped.items.slice(before), [], 'reports of a watch after it was stopped');
      },
    },
    {
      name: 'a listener may stop its own watch of the register and others',
      rule: STOP_RULE,
      async prove(trial) {
        const [one, two] = await trial.two();
        const victims: Watching<ContainerState>[] = [];
        let before: number | undefined;
        const stopper = one.register.watch(({ version }) => {
          if (version === 0n) return;
          for (const victim of [...victims, stopper]) victim.stop();
          // The victim may have heard of it before the stopper did, but not after.
          before ??= victims[0]?.items.length;
        });
        victims.push(one.register.watch());
        const witness = one.register.watch();
        for (const watching of [stopper, ...victims, witness]) await watching.first();
        await reachesTwice(witness, two.register, await two.register.put(0n, ['a']));
        same(
          stopper.items.filter(({ version }) => version > 0n).length,
          1,
          'reports until the listener stopped its watch',
        );
        same(victims[0]?.items.length, before, 'how often the watch that another listener stopped had reported');
      },
    },
  ],
};

export async function allReach(watches: readonly Watching<ContainerState>[], version: bigint): Promise<void> {
  for (const watching of watches) {
    await watching.until(`version ${version}`, (items) => items.at(-1)?.version === version);
  }
}

/** Two changes, each awaited: what was to be reported late has had its chance. */
async function reachesTwice(witness: Watching<ContainerState>, register: RegisterHand, from: bigint): Promise<void> {
  const next = await register.put(from, ['b']);
  await allReach([witness], next);
  await allReach([witness], await register.put(next, ['b']));
}

function mirrored(items: readonly ContainerState[]): Mirror['entries'] {
  const mirror = new Mirror();
  for (const item of items) mirror.apply(item);
  return mirror.entries;
}
