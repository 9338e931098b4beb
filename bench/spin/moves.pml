/* What can happen next. Each option costs a fault unless it is the prompt course of things. */

mtype = { begins, confirms, stops, fails, returns, slows, isDone, isDoneLate, isDoneUnwatched, isDoneUntold, isLost, isDelayed,
  isRefused, isGivenUp, answers, arrives, strays, watches, repeats, lease, deadline, register_, leadership, closesOne,
  closesAll, stepsDown, isAsked, deletes, replaces, freezes, dies, thaws, starts };

inline hearAll() { toHear = (1 << PARTICIPANTS) - 1 }
inline unlessOwn() { toHear = toHear - (1 << who) }
inline pay() { faults-- }

/* A process begins; calls that the former one sent may still be on their way. */
inline begin() {
  P.mode = FREE; P.election = E_CONTENDING; P.driver = D_LOOKING; P.timer = OFF;
  P.leaseNews = 1; P.news = EVERY | FENCE_NEWS;
  for (cj : 0 .. COMPONENTS - 1) { L.timer = OFF; L.joined = 1 }
  leaseAsks = READ + 1
}

inline die() {
  if :: leaseHeld && holder == who -> holder = DEAD_HOLDER :: else fi;
  P.mode = DOWN; P.which = 0; P.election = 0; P.token = 0; P.undrained = 0; P.overstaying = 0; P.closing = 0; P.yielding = 0;
  P.driver = 0; P.held = 0; P.known = 0; P.others = 0; P.newest = 0; P.seen = 0; P.timer = OFF; P.tries = 0;
  P.validity = 0; P.left = 0; P.reg = 0; P.writes = 0; P.current = 0; P.watched = 0; P.later = 0;
  P.queuePuts = 0; P.queueDels = 0; P.puts = 0; P.dels = 0; P.leaseNews = 0; P.news = 0;
  for (cj : 0 .. COMPONENTS - 1) {
    forget(L_STANDBY);
    L.joined = 0; L.leaving = 0; L.overstayed = 0; L.runs = 0; L.told = 0; L.started = 0; L.confirmed = 0;
    L.slow = 0; L.open = 0
  }
  for (cx : 0 .. CALLS - 1) {
    if
    :: X.at == ANSWERED || X.kind == READ || X.kind == LOOK || (X.at && !X.newest) -> clear(X)
    :: X.at && X.at != ANSWERED && X.kind != READ && X.kind != LOOK && X.newest -> X.at = ORPHAN; X.age = 0; X.own = 0
    :: else
    fi
  }
}

inline giveUp() {
  aKind = X.kind; aToken = X.token; aOwn = X.own; aNewest = 0; aAge = X.age; aView = NOBODYS; toAnswer = 1
}

inline keepAnswer() {
  X.at = ANSWERED; X.out = aOut; X.view = aView; X.token = aToken; X.newest = 1; X.puts = 0; X.dels = 0
}

#define leaseIsDue(one) (one.timer == 0 || (one.driver == D_STANDBY && one.seen == DURATION))
#define deadlineIsDue(one) (runs(one.validity) && one.left == 0)
#define registerIsDue(one) ((one.reg == R_RAISE_LATER || one.reg == R_READ_LATER) && !one.later)

/* Who is prompt, who has nothing to do, and whether time may pass: what is late is heard within a tick, timers run. */
inline reckon() {
  urgent = 0; busy = 0;
  for (who : 0 .. PARTICIPANTS - 1) {
    P.idle = 0; P.which = 0;
    if
    :: P.mode >= FREE ->
      P.mode = FREE;
      yes = leaseIsDue(P) || deadlineIsDue(P) || registerIsDue(P);
      P.idle = !(yes || faults || P.leaseNews || P.news || leads(P.election));
      cj = 0; cx = 0;
      do
      :: cj < COMPONENTS && P.mode == FREE ->
        if
        :: L.runs && !L.slow && (L.told || !L.confirmed) -> P.mode = CONTENDER; P.which = cj
        :: L.runs && L.slow && (L.told || !L.confirmed) -> P.idle = 0
        :: else
        fi;
        if :: L.timer == 0 -> yes = 1; P.idle = 0 :: else fi;
        cj++
      :: else -> break
      od;
      do
      :: cx < CALLS && P.mode == FREE ->
        if
        :: X.at == ASKED -> P.mode = CALL; P.which = cx
        :: X.at > ASKED && !(X.kind == ACQUIRE && X.newest && X.at != ANSWERED && leaseToken == SESSIONS) -> P.idle = 0
        :: else
        fi;
        if :: X.at && X.at < STRAY && X.age -> yes = 1 :: else fi;
        cx++
      :: else -> break
      od;
      busy = busy || yes || P.mode > FREE;
      if :: P.mode > FREE -> urgent = 1; P.idle = 0 :: else fi
    :: else
    fi
  }
}

/* Nothing is left behind but the state. */
inline forgetScratch() {
  who = 0;
#ifdef BFS
  cj = 0; cx = 0; another = 0; slot = 0; given = 0; bits = 0; view = 0; revoked = 0;
  aKind = 0; aOut = 0; aView = 0; aToken = 0; aAge = 0; aNewest = 0; aOwn = 0; isNews = 0; isSeen = 0; yes = 0;
  leaseMoved = 0; registerMoved = 0
#endif
}

inline move(me_, what, which_) {
  who = me_; cx = which_; cj = which_; leaseMoved = 0; registerMoved = 0; toHear = 0;
  if
  :: what == begins -> L.started = 1; L.slow = 0; leadership_starts()
  :: what == confirms -> L.confirmed = 1; L.slow = 0; L.open = 1; leadership_confirms()
  :: what == stops -> leadership_settles(LEAVES_RESIGNED)
  :: what == returns -> pay(); leadership_settles(LEAVES_RESIGNED)
  :: what == fails -> pay(); leadership_settles(LEAVES_TO_REST)
  :: what == slows -> pay(); L.slow = 1
  :: what == isDone || what == isDoneLate || what == isDoneUnwatched || what == isDoneUntold || what == isLost ||
    what == arrives || what == strays ->
    if :: what != isDone && what != arrives && what != strays -> pay() :: else fi;
    carryOut();
    if :: leaseMoved || registerMoved -> growOlder(); hearAll() :: else fi;
    if
    :: what == isDoneLate || (what == arrives && P.mode == FROZEN) -> keepAnswer()
    :: else ->
      clear(X);
      if :: what == isLost -> aOut = UNKNOWN; aNewest = 0 :: else fi;
      toAnswer = (what != strays)
    fi;
    if :: what == isDoneUnwatched -> unlessOwn() :: else fi;
    if :: what == isDoneUntold -> toHear = toHear & (1 << who) :: else fi
  :: what == isDelayed -> pay(); X.at = DELAYED
  :: what == isRefused -> pay(); giveUp(); aOut = REFUSED; clear(X)
  :: what == isGivenUp -> pay(); giveUp(); aOut = UNKNOWN;
    if
    :: X.newest -> X.at = STRAY; X.age = 0; X.own = 0
    :: else -> clear(X)
    fi
  :: what == answers -> giveUp(); aOut = X.out; aView = X.view; aNewest = X.newest; clear(X);
    if :: PLANT == LATE_DEADLINE -> aAge = 0 :: else fi
  :: what == watches -> toHear = 1 << who
  :: what == repeats -> pay(); toSee = 1; isNews = 0; isSeen = 1; toObserve = EVERY | FENCE_NEWS
  :: what == lease -> lease_elapses()
  :: what == deadline -> toLapse = 1
  :: what == register_ ->
    if
    :: P.reg == R_RAISE_LATER -> touch(R_RAISING)
    :: else -> readBack()
    fi
  :: what == leadership -> leadership_elapses()
  :: what == closesOne -> pay(); toCloseOne = B
  :: what == closesAll -> pay(); toCloseOne = EVERY; toClose = 1
  :: what == stepsDown -> toStepDown = 1
  :: what == isAsked -> pay(); leaseAsked = 1; leaseMoved = 1; growOlder(); hearAll()
  :: what == deletes || what == replaces -> pay(); bits = B; growOlder(); hearAll();
    entry[cj] = (what == deletes -> 0 : OLD)
  :: what == freezes -> pay(); P.mode = FROZEN; P.which = 0;
    for (cx : 0 .. CALLS - 1) {
      if :: X.at == ASKED -> X.at = DELAYED :: else fi
    }
  :: what == dies -> pay(); die()
  /* The first thing that a thawed process does is to run the timers that are overdue; its deadline is among them. */
  :: what == thaws -> P.mode = FREE; toLapse = (runs(P.validity) && P.left == 0)
  :: what == starts -> begin()
  fi
}

/* I8 and I9, where nothing is on its way any more: what is confirmed is in the store, and every promise is answered. */
inline checkQuiet() {
  yes = 1;
  for (who : 0 .. PARTICIPANTS - 1) {
    if
    :: P.mode == FROZEN || P.leaseNews || P.news || P.validity == V_SUSPENDED || P.reg == R_RAISE_LATER ||
      P.reg == R_READ_LATER -> yes = 0
    :: else
    fi;
    for (cj : 0 .. COMPONENTS - 1) { if :: L.timer != OFF -> yes = 0 :: else fi }
    for (cx : 0 .. CALLS - 1) { if :: X.at && X.at < STRAY -> yes = 0 :: else fi }
  }
  for (who : 0 .. PARTICIPANTS - 1) {
    for (cj : 0 .. COMPONENTS - 1) {
      assert(!yes || L.at != L_SETTLED || entry[cj] == L.token); /* I8 */
      assert(!yes || !L.open) /* I9 */
    }
  }
}

inline passTick() {
  for (who : 0 .. PARTICIPANTS - 1) {
    if :: P.timer != OFF && P.timer > 0 -> P.timer-- :: else fi;
    if :: P.others && P.seen < DURATION -> P.seen++ :: else fi;
    if :: P.left > 0 -> P.left-- :: else fi;
    P.later = 0;
    for (cj : 0 .. COMPONENTS - 1) {
      if :: L.timer != OFF && L.timer > 0 -> L.timer-- :: else fi
    }
    for (cx : 0 .. CALLS - 1) {
      if :: X.at && X.at < STRAY && X.age < VALID -> X.age++ :: else fi
    }
  }
}

/* The scope leaves a call unanswered: no session is left to grant. */
#define beyond(x) (p[me].call[x].kind == ACQUIRE && p[me].call[x].newest && leaseToken == SESSIONS)
#define effective(x) (p[me].call[x].newest && p[me].call[x].kind != READ && p[me].call[x].kind != LOOK && \
  (p[me].call[x].kind < LOOK || fence <= p[me].call[x].token))
#define mayContend(j) (p[me].c[j].runs && (p[me].mode == FREE || (p[me].mode == CONTENDER && p[me].which == j)))
#define mine p[me].call[p[me].which]

#define CONTENDER_MOVES(j) \
  :: mayContend(j) && !p[me].c[j].told && !p[me].c[j].started -> m = begins; a = j \
  :: mayContend(j) && !p[me].c[j].told && p[me].c[j].started && !p[me].c[j].confirmed -> m = confirms; a = j \
  :: mayContend(j) && p[me].c[j].told -> m = stops; a = j \
  :: mayContend(j) && !p[me].c[j].told && faults -> m = fails; a = j \
  :: mayContend(j) && !p[me].c[j].told && faults -> m = returns; a = j

#define SLOW_MOVES(j) \
  :: p[me].which == j && faults -> m = slows; a = j

#define COMPONENT_MOVES(j) \
  :: p[me].mode == FREE && p[me].c[j].timer == 0 -> m = leadership; a = j \
  :: p[me].mode == FREE && p[me].c[j].joined && faults -> m = closesOne; a = j \
  :: p[me].mode == FREE && leads(p[me].election) && entry[j] != 0 && faults -> m = deletes; a = j \
  :: p[me].mode == FREE && leads(p[me].election) && entry[j] != OLD && faults -> m = replaces; a = j

#define LATE_CALL_MOVES(x) \
  :: p[me].mode == FREE && p[me].call[x].at == ANSWERED -> m = answers; a = x \
  :: p[me].call[x].at == DELAYED && !beyond(x) -> m = arrives; a = x \
  :: p[me].call[x].at >= STRAY && !beyond(x) -> m = strays; a = x

#if COMPONENTS == 1
#define stands p[me].c[0].joined
#define EACH_COMPONENT(MOVES) MOVES(0)
#elif COMPONENTS == 2
#define stands (p[me].c[0].joined || p[me].c[1].joined)
#define EACH_COMPONENT(MOVES) MOVES(0) MOVES(1)
#else
#define stands (p[me].c[0].joined || p[me].c[1].joined || p[me].c[2].joined)
#define EACH_COMPONENT(MOVES) MOVES(0) MOVES(1) MOVES(2)
#endif
#if CALLS == 1
#define EACH_CALL(MOVES) MOVES(0)
#elif CALLS == 2
#define EACH_CALL(MOVES) MOVES(0) MOVES(1)
#elif CALLS == 3
#define EACH_CALL(MOVES) MOVES(0) MOVES(1) MOVES(2)
#else
#define EACH_CALL(MOVES) MOVES(0) MOVES(1) MOVES(2) MOVES(3)
#endif

/* One participant: election.ts, lease.ts, validity.ts, container.ts, and for each component leadership.ts and a contender. */
proctype participant(byte me) {
  mtype m; byte a;
end:
  atomic {
    if
    :: p[me].mode == CALL && (faults || !beyond(p[me].which)) -> a = p[me].which;
      if
      :: !beyond(a) -> m = isDone
      :: faults && !beyond(a) -> m = isDoneLate
      :: faults && !beyond(a) -> m = isDelayed
      :: faults -> m = isRefused
      :: faults && mine.kind != READ && mine.kind != LOOK -> m = isGivenUp
      :: faults && !beyond(a) && effective(a) -> m = isDoneUnwatched
      :: faults && !beyond(a) && effective(a) -> m = isDoneUntold
      :: faults && !beyond(a) && effective(a) -> m = isLost
      :: faults -> m = freezes
      :: faults -> m = dies
      fi
    :: p[me].mode == CONTENDER ->
      if
      EACH_COMPONENT(CONTENDER_MOVES)
      EACH_COMPONENT(SLOW_MOVES)
      :: faults -> m = freezes
      :: faults -> m = dies
      fi
    :: p[me].mode <= FREE && !urgent && !p[me].idle ->
      if
      EACH_COMPONENT(CONTENDER_MOVES)
      EACH_COMPONENT(COMPONENT_MOVES)
      EACH_CALL(LATE_CALL_MOVES)
      :: p[me].mode == FREE && (p[me].leaseNews || p[me].news) -> m = watches
      :: p[me].mode == FREE && leaseIsDue(p[me]) -> m = lease
      :: p[me].mode == FREE && deadlineIsDue(p[me]) -> m = deadline
      :: p[me].mode == FREE && registerIsDue(p[me]) -> m = register_
      :: p[me].mode == FREE && !p[me].leaseNews && !p[me].news && faults -> m = repeats
      :: p[me].mode == FREE && stands && faults -> m = closesAll
      :: p[me].mode == FREE && leads(p[me].election) -> m = stepsDown
      :: p[me].mode == FREE && leads(p[me].election) && leaseHeld && !leaseAsked && faults -> m = isAsked
      :: p[me].mode == FREE && faults -> m = freezes
      :: p[me].mode == FREE && faults -> m = dies
      :: p[me].mode == FROZEN -> m = thaws
      :: p[me].mode == DOWN -> m = starts
      fi
    fi;
    d_step { move(me, m, a); m = 0; a = 0 };
    d_step { deliver(); reckon(); forgetScratch() }
  };
  goto end
}

/* The clock of everybody. */
init {
  d_step {
    for (cj : 0 .. COMPONENTS - 1) { entry[cj] = OLD }
    for (who : 0 .. PARTICIPANTS - 1) { begin(); ask() }
    reckon(); forgetScratch()
  };
  atomic {
    for (another : 0 .. PARTICIPANTS - 1) { run participant(another) }
  };
end:
  do
  :: d_step { !busy -> checkQuiet(); passTick(); reckon(); forgetScratch() }
  od
}
