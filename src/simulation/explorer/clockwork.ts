import type { LeaseContext } from '../../../machines/lease-messages.ts';
import type { ValidityContext } from '../../../machines/validity.ts';
import type { Local } from './local.ts';
import { DRIVER, VALIDITY } from './model.ts';
import type { Participants } from './participant.ts';

/** One tick later. */
export function passTick({ cells, parts }: Participants, local: Local): Local {
  const after = [...local.cells];
  const [driver, validity] = [after[DRIVER], after[VALIDITY]];
  if (driver !== undefined) {
    after[DRIVER] = cells.derive(driver, 'T', (context: LeaseContext) => {
      return { ...context, seenAtMs: context.seenAtMs - 1 };
    });
  }
  if (validity?.snapshot.value === 'fresh' || validity?.snapshot.value === 'suspended') {
    after[VALIDITY] = cells.derive(validity, 'T', (context: ValidityContext) => {
      return { ...context, deadlineMs: Math.max(-1, context.deadlineMs - 1) };
    });
  }
  return {
    ...local,
    cells: after,
    timers: local.timers.map((timer) => parts.later(timer)),
    calls: local.calls.map(({ state, request, sentAtMs, answer }) => {
      return parts.call(state, request, sentAtMs - 1, answer);
    }),
  };
}
