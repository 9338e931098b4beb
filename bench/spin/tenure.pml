/*
 * The world of src/simulation/explorer, written by hand for SPIN: participants that compete for one lease, each with its
 * machines, its contenders and its calls on their way; a store with the lease and the fenced register; time in ticks.
 *
 * Everything is prompt and in order unless a fault is spent on it, as in the explorer. One move of a participant, with
 * all messages that follow from it inside, is one atomic step; so SPIN stores the same kind of state as the explorer.
 *
 *   -DPARTICIPANTS= -DCOMPONENTS= -DSESSIONS= -DFAULTS=   as `tenure explore` takes them
 *   -DPLANT=...                                           a bug that has to be found, see README.md
 */
#ifndef PARTICIPANTS
#define PARTICIPANTS 2
#endif
#ifndef COMPONENTS
#define COMPONENTS 1
#endif
#ifndef SESSIONS
#define SESSIONS 2
#endif
#ifndef FAULTS
#define FAULTS 1
#endif
#ifndef PLANT
#define PLANT 0
#endif
#if COMPONENTS > 3 || FAULTS > 3 || SESSIONS > 6
#error at most 3 components, 3 faults and 6 sessions
#endif
#define CALLS (FAULTS + 1) /* one that is asked; each further one has cost a fault (an assertion holds that there is always a place) */

#define UNFENCED 1        /* the store does not compare fences */
#define EARLY_CONFIRM 2   /* confirmed although the write was refused */
#define LATE_DEADLINE 3   /* validity counts from the answer, not from the sending */
#define EARLY_RELEASE 4   /* the lock is given back before the work has settled */
#define ERASING 5         /* a withdrawal does not compare the session, and is sent for a change met while confirming */
#define NO_DRAIN 6        /* the next session starts before the former contender has settled */

#define DEAD_HOLDER 7
#define OLD 7             /* an entry that somebody wrote by hand */
#define OFF 7             /* a timer that is not set; others: ticks until it is due */
#define DURATION 3
#define VALID 2           /* DURATION less the margin */
#define STOP_BOUND 2
#define WITHDRAW_BOUND 2

/* What a participant may do next: it is down or frozen; at rest; a contender or a call is prompt and goes first. */
#define DOWN 0
#define FROZEN 1
#define FREE 2
#define CONTENDER 3
#define CALL 4

/* election.ts */
#define E_IDLE 0
#define E_CONTENDING 1
#define E_HALTING 2
#define E_STEADY 3
#define E_SUSPENDED 4
#define E_DRAINING 5
#define E_RELEASING 6
#define E_CLOSED 7
#define leads(e) (e == E_STEADY || e == E_SUSPENDED)
#define cedes(e) (e == E_DRAINING || e == E_RELEASING)

/* lease.ts */
#define D_IDLE 0
#define D_LOOKING 1
#define D_BACKING_OFF 2
#define D_STANDBY 3
#define D_YIELDING 4
#define D_CONTENDING 5
#define D_STOPPING 6
#define D_RETURNING 7
#define D_FRESH 8
#define D_RENEWING 9
#define D_OVERDUE 10
#define D_SETTLING 11
#define D_WRITING 12
#define D_RETRYING 13
#define D_LAPSED 14
#define holds(d) (d >= D_FRESH && d <= D_OVERDUE)
#define releases(d) (d >= D_SETTLING && d <= D_RETRYING)

/* validity.ts */
#define V_IDLE 0
#define V_FRESH 1
#define V_SUSPENDED 2
#define V_LAPSED 3
#define runs(v) (v == V_FRESH || v == V_SUSPENDED)

/* container.ts: the register */
#define R_SHUT 0
#define R_RAISING 1
#define R_RAISE_LATER 2
#define R_READY 3
#define R_WRITING 4
#define R_READING 5
#define R_TOUCHING 6
#define R_READ_LATER 7
#define R_FENCED 8

/* leadership.ts */
#define L_STANDBY 0
#define L_GRANTED 1
#define L_AWAITING 2
#define L_HELD 3
#define L_PUBLISHING 4
#define L_BACKING_OFF 5
#define L_RESOLVING 6
#define L_SETTLED 7
#define L_REWRITING 8
#define L_REWRITE_LATER 9
#define L_REWRITE_RESOLVING 10
#define L_STOPPING 11
#define L_OVERSTAYING 12
#define L_W_STOPPING 13
#define L_W_DELETING 14
#define L_W_BACKING_OFF 15
#define L_RESTING 16
#define L_CLOSED 17
#define inSession(l) (l >= L_GRANTED && l <= L_REWRITE_RESOLVING)
#define LEAVES_RESIGNED 1
#define LEAVES_TO_REST 2
#define LEAVES_CLOSED 3

/* Calls: where one is, what it asks, what is answered, and the record as its asker sees it. */
#define ASKED 1
#define DELAYED 2
#define ANSWERED 3
#define STRAY 4 /* nobody waits for its answer */
#define ORPHAN 5 /* nor does the process live that sent it */
#define READ 0
#define ACQUIRE 1
#define RENEW 2
#define RELEASE 3
#define LOOK 4
#define WRITE 5
#define OK 0
#define CONFLICT 1
#define SEEN 2
#define REFUSED 3
#define UNKNOWN 4
#define FENCE 5
#define UNMOVED 6
#define DEAD 7
#define NOBODYS 0
#define OTHERS 1
#define OURS 2
#define ASKED_FOR 3

/* One component: its leadership, and the contender that leads it. */
typedef Component {
  unsigned at : 5; unsigned token : 3; unsigned next : 3; unsigned timer : 3; unsigned leaving : 2;
  bit joined; bit wrote; bit lost; bit overstayed;
  bit newest;  /* the register has not moved since our write was acknowledged */
  bit undone;  /* seen since our write was applied: the entry is somebody else's, or gone */
  unsigned runs : 3; /* the session that the contender works for */
  bit told; bit started; bit confirmed; bit slow; bit open
}
/* `newest` of a call: the version that it names, or that its answer shows, is what the store holds. */
typedef Call {
  unsigned at : 3; unsigned kind : 3; bit newest; bit own; unsigned token : 3; unsigned age : 2;
  unsigned puts : 3; unsigned dels : 3; unsigned out : 3; unsigned view : 2
}
typedef Participant {
  unsigned mode : 3; unsigned which : 3; bit idle; /* follow from the rest */
  unsigned election : 3; unsigned token : 3; unsigned undrained : 3; unsigned overstaying : 3; bit closing; bit yielding;
  unsigned driver : 4; unsigned held : 3; bit known; bit others; bit newest; unsigned seen : 2; unsigned timer : 3;
  bit tries;
  unsigned validity : 2; unsigned left : 2;
  unsigned reg : 4; unsigned writes : 3; bit current; bit watched; bit later; /* `later`: backing off, not yet due */
  unsigned queuePuts : 3; unsigned queueDels : 3; unsigned puts : 3; unsigned dels : 3;
  bit leaseNews; unsigned news : 4;
  Component c[COMPONENTS];
  Call call[CALLS]
}

Participant p[PARTICIPANTS];
bit leaseHeld, leaseAsked;
byte leaseToken, fence;
byte holder; /* DEAD_HOLDER: no process that lives; a process that starts again is another one */
byte entry[COMPONENTS];
byte faults = FAULTS;
bit urgent, busy; /* somebody is prompt; no time may pass; both follow from the rest */

#define P p[who]
#define L p[who].c[cj]
#define X p[who].call[cx]
#define B (1 << cj)
#define EVERY ((1 << COMPONENTS) - 1)
#define FENCE_NEWS (1 << COMPONENTS)

/* Scratch of one move: not part of any state. Breadth-first SPIN allows no hidden variables: there it is, and is zero.
 * `who` moves; cj, cx: one of its components, of its calls. */
#ifdef BFS
#define SCRATCH
#else
#define SCRATCH hidden
#endif
SCRATCH byte who, cj, cx, another, slot, given, bits, view;
SCRATCH byte aKind, aOut, aView, aToken, aAge;
SCRATCH byte aNewest, aOwn, isNews, isSeen, yes;
SCRATCH byte leaseMoved;
SCRATCH byte registerMoved, toHear;
/* Messages inside a participant that have not been delivered yet: one flag, or one bit for each component. */
SCRATCH byte leaseAsks, registerAsks; /* one more than the kind of the call; the kind */
SCRATCH byte toAnswer, toSee, toLapse, toLose, toReturn, toStopped, toStepDown, toSuspend, toResume, toFenced, toRefused;
SCRATCH byte toAcquired, toContend, toStop, toRelease, toAbandon, toOpen, toShut, toClose;
SCRATCH byte toObserve, toGrant, toRevoke, toChange, toCloseOne, toRest, toLeave, revoked;
SCRATCH byte toPublish, toWithdraw, toCommitted, toFailed, toUnknown, toDead, toUnwritten, toWithdrawn, toNotWithdrawn;
SCRATCH byte drained, drainedLate, overstayed, gone, joined;

#include "lease.pml"
#include "election.pml"
#include "leadership.pml"
#include "register.pml"
#include "post-office.pml"
#include "store.pml"
#include "moves.pml"
