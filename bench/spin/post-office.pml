/* The post office: all that a message brings about inside its participant belongs to the same move. */

/* A call takes the first free place. Of the register only the newest counts: the answer of an older one is nobody's. */
inline ask() {
  if
  :: registerAsks ->
    for (cx : 0 .. CALLS - 1) { X.own = 0 }
  :: else
  fi;
  cx = 0;
  do
  :: X.at == 0 -> break
  :: else -> cx++; assert(cx < CALLS)
  od;
  X.at = ASKED;
  if
  :: leaseAsks ->
    X.kind = leaseAsks - 1; leaseAsks = 0;
    if :: X.kind != READ -> X.newest = P.newest :: else fi;
    if :: X.kind > ACQUIRE -> X.token = P.held :: else fi;
    for (cj : 0 .. COMPONENTS - 1) {
      assert(X.kind != RELEASE || L.runs == 0 || L.runs != P.held) /* I7: given back only when the work has ended */
    }
  :: else ->
    X.kind = registerAsks; X.own = 1; X.token = P.writes; registerAsks = 0;
    if :: X.kind == WRITE -> X.newest = P.current :: else fi;
    if :: P.reg == R_WRITING || P.reg == R_READING -> X.puts = P.puts; X.dels = P.dels :: else fi;
    assert(X.kind != WRITE || X.puts == 0 || P.writes == P.token) /* I4 */
  fi
}

#define EACH(mail, handler) mail -> bits = mail; mail = 0; \
  for (cj : 0 .. COMPONENTS - 1) { if :: bits & B -> handler :: else fi }

inline deliver() {
  do
  :: leaseAsks || registerAsks -> ask()
  :: toAnswer -> toAnswer = 0;
    if
    :: aKind < LOOK -> lease_hears()
    :: else -> register_hears()
    fi
  :: toSee -> toSee = 0; lease_sees()
  /* The election hears first: work is told to stop before the lease may be contended for again. */
  :: toLapse -> toLapse = 0; election_loses();
    P.validity = V_LAPSED; P.left = 0; P.held = 0; P.timer = OFF; P.tries = 0;
    if
    :: holds(P.driver) -> P.driver = D_LAPSED; read()
    :: else -> P.driver = D_IDLE
    fi
  :: toLose -> toLose = 0; election_loses()
  :: toSuspend -> toSuspend = 0;
    if :: P.election == E_STEADY -> P.election = E_SUSPENDED :: else fi
  :: toResume -> toResume = 0;
    if
    :: P.election == E_SUSPENDED -> P.election = E_STEADY;
      for (cj : 0 .. COMPONENTS - 1) { leadership_resumes() }
    :: else
    fi
  :: toFenced || toRefused ->
    if
    :: leads(P.election) ->
      if :: toRefused -> P.yielding = 1 :: else fi;
      fenced()
    :: else
    fi;
    toFenced = 0; toRefused = 0
  :: toStepDown -> toStepDown = 0;
    if :: leads(P.election) -> P.yielding = 1; cede() :: else fi
  :: toAcquired -> toAcquired = 0; assert(P.election == E_CONTENDING); election_leads()
  :: EACH(toRest, leadership_rests())
  :: EACH(toLeave, leadership_leaves())
  :: EACH(toRevoke, leadership_revoked())
  :: drained || drainedLate || overstayed -> election_counts()
  :: gone -> election_leaves()
  :: joined -> election_joins()
  :: toReturn -> toReturn = 0;
    if :: cedes(P.election) -> sessionEnds(0) :: else fi
  :: toStopped -> toStopped = 0; anyStands();
    if
    :: P.election == E_HALTING && P.closing -> P.election = E_CLOSED
    :: P.election == E_HALTING && !P.closing && yes -> P.election = E_CONTENDING; toContend = 1
    :: P.election == E_HALTING && !P.closing && !yes -> P.election = E_IDLE
    :: else
    fi
  :: toShut -> toShut = 0; fenceAll(R_SHUT); P.writes = 0
  :: toOpen -> toOpen = 0; register_opens()
  :: EACH(toGrant, leadership_granted())
  :: toAbandon -> toAbandon = 0; abandonLease()
  :: toRelease -> toRelease = 0;
    if
    :: P.driver == D_RENEWING -> P.driver = D_SETTLING
    :: P.driver == D_FRESH || P.driver == D_OVERDUE -> P.timer = OFF; release()
    :: else
    fi
  :: toContend -> toContend = 0; lease_contends()
  :: toStop -> toStop = 0; lease_stops()
  :: EACH(toChange, leadership_changes())
  :: EACH(toCommitted, leadership_committed())
  :: EACH(toFailed, leadership_failed())
  :: EACH(toUnknown, leadership_unknown())
  :: EACH(toDead, leadership_dead())
  :: EACH(toUnwritten, leadership_fenced())
  :: EACH(toWithdrawn, leadership_withdrawn())
  :: EACH(toNotWithdrawn, leadership_not_withdrawn())
  :: toPublish || toWithdraw -> register_takes()
  :: EACH(toCloseOne, leadership_closes())
  :: toObserve -> election_observes()
  :: toClose -> toClose = 0;
    if
    :: P.election == E_IDLE -> P.election = E_CLOSED
    :: P.election == E_CONTENDING -> P.closing = 1; P.election = E_HALTING; toStop = 1
    :: P.election > E_CONTENDING && P.election != E_CLOSED -> P.closing = 1
    :: else
    fi
  /* Nothing is left to deliver here: the next participant's watch reports what the store holds now. */
  :: else ->
    if :: toHear == 0 -> break :: else fi;
    who = 0;
    do
    :: toHear & (1 << who) -> break
    :: else -> who++
    od;
    if
    :: P.mode >= FREE && P.leaseNews -> P.leaseNews = 0; toSee = 1; isNews = !P.newest; isSeen = 1
    :: P.mode >= FREE && !P.leaseNews && P.news -> toObserve = P.news; P.news = 0
    :: else -> toHear = toHear - (1 << who)
    fi
  od
}
