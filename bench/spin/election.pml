/* election.ts: one election in participant `who`. */

inline wantLease() {
  if
  :: P.closing -> P.election = E_HALTING; toStop = 1
  :: else -> P.election = E_CONTENDING; toContend = 1
  fi
}

/* The session is over: work is told to stop in this very step (I7). */
inline sessionOver() { toRevoke = EVERY; revoked = P.token; toShut = 1; P.token = 0; wantLease() }

inline abandonLease() {
  if :: holds(P.driver) || releases(P.driver) -> endLease(); P.held = 0 :: else fi
}

inline fenced() { abandonLease(); toReturn = 0; sessionOver() }

inline anyStands() {
  yes = 0;
  for (cj : 0 .. COMPONENTS - 1) { yes = yes || L.joined }
}

/* A ceded session ends: given back, or by itself; then the lease contends again unless it is stopped. */
inline sessionEnds(byItself) {
  toShut = 1; P.token = 0; anyStands();
  if
  :: !P.closing && yes -> P.election = E_CONTENDING; toContend = 1
  :: (P.closing || !yes) && byItself -> P.election = E_HALTING; toStop = 1
  :: else -> P.election = (P.closing -> E_CLOSED : E_IDLE)
  fi
}

/* Gives the lock back as soon as every grant has drained; with an overstayer it is left to run out. */
inline cede() {
  if
  :: P.undrained == 0 || (PLANT == EARLY_RELEASE && P.election != E_DRAINING) ->
    P.election = E_RELEASING; toRelease = 1
  :: P.undrained > 0 && P.undrained == P.overstaying -> P.election = E_RELEASING; toAbandon = 1
  :: else ->
    if :: P.election != E_DRAINING -> toRevoke = EVERY; revoked = P.token :: else fi;
    P.election = E_DRAINING
  fi
}

inline election_counts() {
  P.undrained = P.undrained - drained - drainedLate;
  P.overstaying = P.overstaying + overstayed - drainedLate;
  drained = 0; drainedLate = 0; overstayed = 0;
  if
  :: P.election == E_DRAINING && P.undrained == P.overstaying -> cede()
  :: else
  fi
}

/* A component has left the election (its bit of `joined` is cleared already). */
inline election_leaves() {
  gone = 0; anyStands();
  if
  :: !yes && P.election == E_CONTENDING -> P.election = E_HALTING; toStop = 1
  :: !yes && leads(P.election) -> P.yielding = 0; cede()
  :: else
  fi
}

inline election_joins() {
  if
  :: P.election == E_IDLE -> P.election = E_CONTENDING; toContend = 1
  :: leads(P.election) -> toGrant = joined; cj = 0;
    do
    :: cj < COMPONENTS ->
      if :: joined & B -> P.undrained++ :: else fi;
      cj++
    :: else -> break
    od
  :: else
  fi;
  joined = 0
}

inline election_leads() {
  P.token = P.held; P.yielding = 0; P.election = E_STEADY; toOpen = 1; toGrant = 0;
  for (cj : 0 .. COMPONENTS - 1) {
    if :: L.joined -> toGrant = toGrant | B; P.undrained++ :: else fi
  }
}

inline election_observes() {
  P.watched = 1;
  if
  :: leads(P.election) && fence > P.token -> fenced()
  :: leads(P.election) && fence <= P.token -> toChange = toObserve & EVERY
  :: else
  fi;
  toObserve = 0
}

inline election_loses() {
  if
  :: leads(P.election) -> sessionOver()
  :: cedes(P.election) -> sessionEnds(1)
  :: else
  fi
}
