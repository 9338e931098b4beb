/**
 * Numbered predicates over what happened. Tests, scenarios, simulator and inspector cite the number they prove.
 * Observations are facts in one global order; who recorded them does not matter.
 */
export type Observation =
  | {
      readonly kind: 'lease.acquired';
      readonly participant: string;
      readonly sessionId: string;
      readonly token: bigint;
    }
  | {
      readonly kind: 'granted' | 'revoked';
      readonly participant: string;
      readonly component: string;
      readonly sessionId: string;
    }
  | {
      readonly kind: 'contender.started' | 'contender.told-to-stop' | 'contender.settled';
      readonly participant: string;
      readonly component: string;
      readonly sessionId: string;
    }
  | {
      readonly kind: 'entry.written';
      readonly participant: string;
      readonly component: string;
      readonly sessionId: string;
      /** The session that was current for the writer when the write left. */
      readonly currentSessionId: string;
    }
  | {
      readonly kind: 'entry.deleted';
      readonly component: string;
      /** Session of the entry that was deleted, and of the withdrawal that did it (`null`: nobody withdrew it). */
      readonly sessionId: string;
      readonly withdrawnBy: string | null;
    }
  | { readonly kind: 'promise.opened' | 'promise.settled'; readonly id: string }
  /** Faults have ended and everything has come to rest. */
  | {
      readonly kind: 'rest';
      readonly confirmed: ReadonlyMap<string, string>;
      readonly stored: ReadonlyMap<string, string>;
    }
  | { readonly kind: 'pointer.named' | 'pointer.gone' | 'data.deleted'; readonly data: string };

export interface InvariantViolation {
  readonly invariant: string;
  /** Index of the observation that broke it. */
  readonly at: number;
  readonly detail: string;
}

export interface Invariant {
  readonly id: string;
  readonly title: string;
  check(trace: readonly Observation[]): InvariantViolation[];
}

type Found = (at: number, detail: string) => void;

function invariant(id: string, title: string, walk: (trace: readonly Observation[], found: Found) => void): Invariant {
  return {
    id,
    title,
    check(trace) {
      const violations: InvariantViolation[] = [];
      walk(trace, (at, detail) => violations.push({ invariant: id, at, detail }));
      return violations;
    },
  };
}

const I1 = invariant('I1', 'one holder per fencing token', (trace, found) => {
  const holders = new Map<bigint, string>();
  trace.forEach((o, at) => {
    if (o.kind !== 'lease.acquired') return;
    const holder = `${o.participant}/${o.sessionId}`;
    const former = holders.get(o.token);
    if (former !== undefined && former !== holder) found(at, `token ${o.token} held by ${former} and by ${holder}`);
    holders.set(o.token, holder);
  });
});

const I2 = invariant('I2', 'fencing tokens grow', (trace, found) => {
  let newest = -1n;
  trace.forEach((o, at) => {
    if (o.kind !== 'lease.acquired') return;
    if (o.token <= newest) found(at, `token ${o.token} granted after ${newest}`);
    if (o.token > newest) newest = o.token;
  });
});

const I3 = invariant('I3', "an entry is deleted only by its own session's withdraw", (trace, found) => {
  trace.forEach((o, at) => {
    if (o.kind !== 'entry.deleted' || o.withdrawnBy === o.sessionId) return;
    found(at, `entry of ${o.component} (session ${o.sessionId}) deleted by ${o.withdrawnBy ?? 'nobody'}`);
  });
});

const I4 = invariant('I4', "a written entry carries the writer's current session", (trace, found) => {
  trace.forEach((o, at) => {
    if (o.kind === 'entry.written' && o.sessionId !== o.currentSessionId) {
      found(at, `${o.component} written for ${o.sessionId} while ${o.currentSessionId} was current`);
    }
  });
});

/** What `started` and `settled` (or granted and revoked) must do per component of one participant: alternate. */
function alternate(open: string, shut: string, what: string) {
  return (trace: readonly Observation[], found: Found): void => {
    const running = new Map<string, string>();
    trace.forEach((o, at) => {
      if (!('component' in o) || !('participant' in o)) return;
      const key = `${o.participant}/${o.component}`;
      const now = running.get(key);
      if (o.kind === open) {
        if (now !== undefined) found(at, `${key}: ${what} ${o.sessionId} began inside ${now}`);
        running.set(key, o.sessionId);
      } else if (o.kind === shut) {
        if (now !== o.sessionId) found(at, `${key}: ${what} ${o.sessionId} ended, but ${now ?? 'none'} was running`);
        running.delete(key);
      }
    });
  };
}

const I5 = invariant('I5', 'grant and revoke alternate per component', alternate('granted', 'revoked', 'session'));
const I6 = invariant(
  'I6',
  'contenders of one component never overlap in one process',
  alternate('contender.started', 'contender.settled', 'contender'),
);

const I7 = invariant('I7', 'work is told to stop before anyone else can be granted', (trace, found) => {
  const working = new Map<string, string>();
  trace.forEach((o, at) => {
    if (o.kind === 'contender.started') working.set(`${o.participant}/${o.component}`, o.participant);
    if (o.kind === 'contender.told-to-stop' || o.kind === 'contender.settled') {
      working.delete(`${o.participant}/${o.component}`);
    }
    if (o.kind !== 'lease.acquired') return;
    for (const [key, participant] of working) {
      if (participant !== o.participant) found(at, `${o.participant} acquired token ${o.token} while ${key} works`);
    }
  });
});

const I8 = invariant('I8', "when faults end, every confirmed component's entry is in the store", (trace, found) => {
  trace.forEach((o, at) => {
    if (o.kind !== 'rest') return;
    for (const [component, sessionId] of o.confirmed) {
      const stored = o.stored.get(component);
      if (stored !== sessionId) found(at, `${component} confirmed as ${sessionId}, stored is ${stored ?? 'nothing'}`);
    }
  });
});

const I9 = invariant('I9', 'every promise settles', (trace, found) => {
  const open = new Map<string, number>();
  trace.forEach((o, at) => {
    if (o.kind === 'promise.opened') open.set(o.id, at);
    if (o.kind === 'promise.settled') open.delete(o.id);
  });
  for (const [id, at] of open) found(at, `promise ${id} was never settled`);
});

const I10 = invariant('I10', 'data named by a pointer is never deleted', (trace, found) => {
  const named = new Set<string>();
  trace.forEach((o, at) => {
    if (o.kind === 'pointer.named') named.add(o.data);
    if (o.kind === 'pointer.gone') named.delete(o.data);
    if (o.kind === 'data.deleted' && named.has(o.data)) found(at, `${o.data} deleted while a pointer names it`);
  });
});

export const invariants: readonly Invariant[] = [I1, I2, I3, I4, I5, I6, I7, I8, I9, I10];

/** All violations, in the order in which they happened. */
export function checkTrace(trace: readonly Observation[]): InvariantViolation[] {
  return invariants.flatMap((i) => i.check(trace)).sort((a, b) => a.at - b.at);
}
