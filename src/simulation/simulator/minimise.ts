import type { Action } from './actions.ts';
import type { Parameters } from './parameters.ts';

export interface Schedule {
  readonly parameters: Parameters;
  readonly actions: readonly Action[];
}

/**
 * A smaller schedule that still fails: delta debugging over the actions, then a simpler world. `fails` runs one and
 * says whether it fails in the same way; it is called at most `most` times.
 */
export async function minimise(
  schedule: Schedule,
  fails: (schedule: Schedule) => Promise<boolean>,
  most = 400,
): Promise<Schedule> {
  let left = most;
  const stillFails = async (candidate: Schedule): Promise<boolean> => left-- > 0 && (await fails(candidate));
  let smallest = await fewerActions(schedule, stillFails);
  for (const simpler of [twoParticipants, oneComponent, onlyTheFollower, clocksInStep]) {
    const candidate = { ...smallest, parameters: simpler(smallest.parameters) };
    if (await stillFails(candidate)) smallest = candidate;
  }
  return await fewerActions(smallest, stillFails);
}

/** Leaves out ever smaller parts until no single action can be spared. */
async function fewerActions(
  { parameters, actions: all }: Schedule,
  stillFails: (schedule: Schedule) => Promise<boolean>,
): Promise<Schedule> {
  let actions = all;
  for (let size = Math.ceil(actions.length / 2); size >= 1; ) {
    const before = actions.length;
    for (let at = 0; at < actions.length; ) {
      const fewer = [...actions.slice(0, at), ...actions.slice(at + size)];
      if (await stillFails({ parameters, actions: fewer })) actions = fewer;
      else at += size;
    }
    // The last round is repeated until it finds nothing: what could not be spared before may be sparable now.
    if (size > 1) size = Math.ceil(size / 2);
    else if (actions.length === before) break;
  }
  return { parameters, actions };
}

const twoParticipants = (parameters: Parameters): Parameters => ({
  ...parameters,
  participants: parameters.participants.slice(0, 2),
  following: parameters.following.slice(0, 2),
});
const oneComponent = (parameters: Parameters): Parameters => ({
  ...parameters,
  components: parameters.components.slice(0, 1),
});
const onlyTheFollower = (parameters: Parameters): Parameters => ({
  ...parameters,
  following: parameters.following.map(() => false),
});
const clocksInStep = (parameters: Parameters): Parameters => ({ ...parameters, rates: parameters.rates.map(() => 1) });
