import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ArbiterEvent, ArbiterRecord } from '../../machines/arbiter.ts';
import { arbiterMachine } from '../../machines/index.ts';
import type { Observation } from '../../machines/invariants.ts';
import { checkTrace } from '../../machines/invariants.ts';
import type { Rig } from './stepper.ts';
import { start } from './stepper.ts';

const acquire = (expectedVersion: bigint | null, holder = 'me', requestId = 1): ArbiterEvent => {
  const sessionId = `${holder}/${requestId}`;
  return { type: 'acquire', requestId, expectedVersion, holder, sessionId, durationMs: 15_000, at: 'then' };
};
const renew = (expectedVersion: bigint): ArbiterEvent => {
  return { type: 'renew', requestId: 2, expectedVersion, durationMs: 9_000, at: 'later' };
};
const release = (expectedVersion: bigint): ArbiterEvent => ({ type: 'release', requestId: 3, expectedVersion });
const askToStepDown = (expectedVersion: bigint, sessionId = 'me/1'): ArbiterEvent => {
  return { type: 'request-step-down', requestId: 4, expectedVersion, sessionId };
};

type ArbiterRig = Rig<typeof arbiterMachine>;
const held = (): ArbiterRig => {
  const rig = start(arbiterMachine);
  rig.send(acquire(null));
  return rig;
};
const outcomeOf = (rig: ArbiterRig, event: ArbiterEvent): string | undefined => rig.send(event)[0]?.type;

describe('the lease as a store sees it', () => {
  it('is created only where there is none', () => {
    const rig = start(arbiterMachine);
    expect(outcomeOf(rig, acquire(1n))).toBe('conflict');
    const [answer] = rig.send(acquire(null));
    expect(answer).toMatchObject({ type: 'committed', requestId: 1, record: { version: 1n, fencingToken: 1n } });
    expect(outcomeOf(rig, acquire(null, 'they', 9))).toBe('conflict');
  });

  it('a conflict shows what is there instead', () => {
    const [answer] = held().send(acquire(7n, 'they', 9));
    expect(answer).toMatchObject({ type: 'conflict', requestId: 9, record: { holder: 'me', version: 1n } });
  });

  it('is renewed, released and taken over by the version that was read, and by no other', () => {
    const rig = held();
    expect(outcomeOf(rig, renew(2n))).toBe('conflict');
    expect(outcomeOf(rig, renew(1n))).toBe('committed');
    expect(rig.context.record).toMatchObject({
      version: 2n,
      durationMs: 9_000,
      renewedAt: 'later',
      acquiredAt: 'then',
    });
    expect(outcomeOf(rig, release(1n))).toBe('conflict');
    expect(outcomeOf(rig, acquire(2n, 'they', 9))).toBe('committed');
    expect(rig.context.record).toMatchObject({ holder: 'they', fencingToken: 2n });
  });

  it('once released nobody renews it; its token is kept, so that it only grows', () => {
    const rig = held();
    rig.send(release(1n));
    expect(rig.state).toBe('vacant');
    for (const event of [renew(2n), release(2n), askToStepDown(2n)]) expect(outcomeOf(rig, event)).toBe('conflict');
    rig.send(acquire(2n, 'they', 9));
    expect(rig.context.record).toMatchObject({ version: 3n, fencingToken: 2n });
  });

  it('a request to step down names the session it is meant for', () => {
    const rig = held();
    expect(outcomeOf(rig, askToStepDown(1n, 'they/9'))).toBe('conflict');
    expect(outcomeOf(rig, askToStepDown(2n))).toBe('conflict');
    expect(outcomeOf(rig, askToStepDown(1n))).toBe('committed');
    expect(rig.context.record).toMatchObject({ stepDownFor: 'me/1', version: 2n });
    rig.send(acquire(2n, 'they', 9));
    expect(rig.context.record?.stepDownFor).toBe('');
  });
});

const requests = fc.array(
  fc.record({ what: fc.nat({ max: 3 }), holder: fc.constantFrom('me', 'they'), lag: fc.nat({ max: 2 }) }),
  { maxLength: 60, size: 'max' },
);

describe('whatever is asked of it', () => {
  const answer = (
    rig: ArbiterRig,
    { what, holder, lag }: { what: number; holder: string; lag: number },
    id: number,
  ) => {
    const { record } = rig.context;
    const version = record === null ? null : record.version - BigInt(lag);
    if (what === 0 || version === null) return rig.send(acquire(version, holder, id))[0];
    const event = [renew(version), release(version), askToStepDown(version, record?.sessionId ?? '')][what - 1];
    return rig.send(event ?? renew(version))[0];
  };

  it('I1, I2: tokens grow with every acquisition, versions with every commit', () => {
    fc.assert(
      fc.property(requests, (all) => {
        const rig = start(arbiterMachine);
        const trace: Observation[] = [];
        let before: ArbiterRecord | null = null;
        all.forEach((request, id) => {
          const said = answer(rig, request, id);
          const now: ArbiterRecord | null = rig.context.record;
          if (said?.type !== 'committed') expect(now).toBe(before);
          else expect(now?.version).toBe((before?.version ?? 0n) + 1n);
          if (said?.type === 'committed' && request.what === 0 && now !== null) {
            const { holder: participant, sessionId, fencingToken: token } = now;
            trace.push({ kind: 'lease.acquired', participant, sessionId, token });
          }
          before = now;
        });
        expect(checkTrace(trace)).toEqual([]);
      }),
    );
  });
});
