import type { OpenBackend } from '../../ports/backend.ts';
import type { ContainerState } from '../../ports/container.ts';
import type { LeaseRecord } from '../../ports/lease-store.ts';
import { type LeaseStanding, leaseStanding } from '../backends/reading.ts';
import { span } from '../text/durations.ts';
import { participantName } from '../text/participant.ts';

export interface StatusInput {
  readonly election: string;
  readonly backend: string;
  readonly place: string;
  readonly protection: OpenBackend['protection'];
  readonly lease: LeaseRecord | null;
  readonly register: ContainerState;
  readonly nowIso: string;
}

export interface ComponentStatus {
  readonly component: string;
  /** `superseded`: its entry is of an older session than the one that leads. `left-behind`: nobody leads. */
  readonly state: 'confirmed' | 'superseded' | 'left-behind';
  readonly sessionId: string;
  readonly fencingToken: bigint;
  readonly address: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface StatusFinding {
  readonly code: string;
  readonly component: string | null;
  readonly detail: string;
}

/** Everything that `tenure status` knows; with `--json` this is the document. */
export interface StatusReport extends Omit<StatusInput, 'register' | 'nowIso'> {
  readonly at: string;
  readonly standing: LeaseStanding['kind'];
  readonly register: { readonly version: bigint; readonly fence: ContainerState['fence'] };
  readonly components: readonly ComponentStatus[];
  readonly findings: readonly StatusFinding[];
}

/** A healthy contender confirms well within this time. */
const CONFIRM_EXPECTED_MS = 10_000;

export function statusReport(input: StatusInput): StatusReport {
  const standing = leaseStanding(input.lease, input.nowIso, input.protection);
  const components = componentsOf(input.register, standing);
  const { register, nowIso, ...rest } = input;
  return {
    ...rest,
    at: nowIso,
    standing: standing.kind,
    register: { version: register.version, fence: register.fence },
    components,
    findings: findingsOf(input, standing, components),
  };
}

function componentsOf(register: ContainerState, standing: LeaseStanding): ComponentStatus[] {
  const session = standing.kind === 'held' ? standing.record.sessionId : null;
  return [...register.changed]
    .flatMap(([component, entry]) =>
      entry === null ? [] : [{ component, state: stateOf(entry.sessionId, session), ...entry }],
    )
    .sort((a, b) => (a.component < b.component ? -1 : 1));
}

function stateOf(entrySession: string, session: string | null): ComponentStatus['state'] {
  if (session === null) return 'left-behind';
  return entrySession === session ? 'confirmed' : 'superseded';
}

function findingsOf(
  input: StatusInput,
  standing: LeaseStanding,
  components: readonly ComponentStatus[],
): StatusFinding[] {
  const findings: StatusFinding[] = [];
  const find = (code: string, detail: string, component: string | null = null) =>
    findings.push({ code, component, detail });
  const { lease, register } = input;
  if (input.protection === 'none') {
    find('unprotected', `${input.backend} has no lock: nothing keeps a second process from leading too.`);
  }
  if (standing.kind === 'ran-out') {
    const who = participantName(standing.record.holder);
    find(
      'lease-ran-out',
      `${who} has not renewed for ${span(standing.sinceMs + standing.record.durationMs)}. It is dead, frozen or cut off; nobody stands to take over.`,
    );
  }
  if (lease !== null && lease.stepDownFor !== '' && lease.stepDownFor === lease.sessionId) {
    find('step-down-pending', `${participantName(lease.holder)} was asked to step down and still holds the lease.`);
  }
  if (register.fence !== null && lease !== null && register.fence.fencingToken > lease.fencingToken) {
    const tokens = `the register is fenced by token ${register.fence.fencingToken}, the lease is at ${lease.fencingToken}`;
    find('token-not-above-fence', `${tokens}: the store has gone back in time. Restore the newer copy.`);
  }
  if (standing.kind === 'held' && standing.heldMs >= CONFIRM_EXPECTED_MS) {
    const who = participantName(standing.record.holder);
    const late = `granted ${span(standing.heldMs)} ago and not confirmed. Look at ${who}: its contender has not called confirm().`;
    for (const { component, state } of components) if (state === 'superseded') find('not-confirmed', late, component);
    if (components.length === 0) find('not-confirmed', late);
  }
  return findings;
}
