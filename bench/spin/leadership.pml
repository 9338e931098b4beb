/* leadership.ts: component `cj` of participant `who`, and the contender that leads it. */

inline start(session) {
  assert(L.runs == 0); /* I6 */
  L.runs = session; L.told = 0; L.started = 0; L.confirmed = 0; L.slow = 0;
  L.at = L_GRANTED; L.token = session; L.next = 0; L.timer = OFF; L.leaving = 0;
  L.wrote = 0; L.lost = 0; L.overstayed = 0; L.newest = 0; L.undone = 0
}

inline drain() {
  if
  :: L.overstayed -> drainedLate++
  :: else -> drained++
  fi;
  L.overstayed = 0
}

/* What a leadership in no session remembers: nothing. */
inline forget(state) {
  L.at = state; L.token = 0; L.next = 0; L.timer = OFF; L.wrote = 0; L.lost = 0; L.newest = 0; L.undone = 0
}

inline leave() { toLeave = toLeave | B; L.at = L_CLOSED }

inline restOrLeave() { toRest = toRest | B; L.at = L_CLOSED }

inline leadership_leaves() { L.joined = 0; gone = 1; L.leaving = 0; forget(L_CLOSED) }

inline leadership_rests() {
  drain(); L.joined = 0; gone = 1;
  if
  :: L.leaving == LEAVES_TO_REST -> forget(L_RESTING); L.timer = 1
  :: else -> forget(L_CLOSED)
  fi;
  L.leaving = 0
}

inline stopContender(state) {
  L.at = state; L.timer = STOP_BOUND; L.open = 0;
  if :: L.runs -> L.told = 1; L.slow = 0 :: else fi
}

inline publish(state) {
  L.wrote = 1; toPublish = toPublish | B;
  L.at = state
}

inline withdraw() { L.at = L_W_DELETING; toWithdraw = toWithdraw | B }

inline leadership_granted() {
  if
  :: L.at == L_STANDBY || (PLANT == NO_DRAIN && L.at == L_STOPPING) -> start(P.token)
  :: (L.at == L_STOPPING || L.at == L_OVERSTAYING) && L.leaving != LEAVES_CLOSED && PLANT != NO_DRAIN ->
    if :: L.next -> drained++ :: else fi;
    L.next = P.token
  :: else -> drained++
  fi
}

inline leadership_revoked() {
  if
  :: inSession(L.at) && L.token == revoked -> stopContender(L_STOPPING)
  :: (L.at == L_STOPPING || L.at == L_OVERSTAYING) && L.next == revoked && L.next > 0 -> drained++; L.next = 0
  :: L.at == L_W_STOPPING && L.token == revoked -> L.lost = 1
  :: (L.at == L_W_DELETING || L.at == L_W_BACKING_OFF) && L.token == revoked -> restOrLeave()
  :: else
  fi
}

inline leadership_changes() {
  yes = (entry[cj] != L.token);
  if
  :: !inSession(L.at) || L.newest
  :: inSession(L.at) && !L.newest && L.at < L_SETTLED ->
    L.undone = yes;
    if
    :: PLANT == ERASING && yes && entry[cj] > 0 -> toWithdraw = toWithdraw | B
    :: else
    fi
  :: inSession(L.at) && !L.newest && L.at >= L_SETTLED ->
    L.undone = yes;
    if
    :: yes && entry[cj] > L.token && entry[cj] != OLD -> toFenced = 1; stopContender(L_STOPPING)
    :: yes && (entry[cj] <= L.token || entry[cj] == OLD) && L.at == L_SETTLED && P.election != E_SUSPENDED ->
      publish(L_REWRITING)
    :: else
    fi
  fi
}

/* The backend answers again: what was held back is written. */
inline leadership_resumes() {
  if
  :: L.at == L_HELD -> publish(L_PUBLISHING)
  :: L.at == L_SETTLED && L.undone -> publish(L_REWRITING)
  :: else
  fi
}

#define publishes(l) (l == L_PUBLISHING || l == L_RESOLVING || l == L_REWRITING || l == L_REWRITE_RESOLVING)
inline leadership_committed() {
  if
  :: publishes(L.at) ->
    L.newest = aNewest; L.open = 0;
    if
    :: L.undone -> publish(L_REWRITING)
    :: else -> L.at = L_SETTLED
    fi
  :: else
  fi
}

inline leadership_failed() {
  if
  :: L.at == L_PUBLISHING || L.at == L_RESOLVING ->
    if
    :: PLANT == EARLY_CONFIRM -> L.at = L_SETTLED; L.open = 0
    :: else -> L.at = L_BACKING_OFF; L.timer = 1
    fi
  :: L.at == L_REWRITING || L.at == L_REWRITE_RESOLVING -> L.at = L_REWRITE_LATER; L.timer = 1
  :: else
  fi
}

inline leadership_unknown() {
  if
  :: L.at == L_PUBLISHING -> L.at = L_RESOLVING
  :: L.at == L_REWRITING -> L.at = L_REWRITE_RESOLVING
  :: else
  fi
}

inline leadership_dead() {
  if
  :: L.at == L_PUBLISHING || L.at == L_RESOLVING -> publish(L_PUBLISHING)
  :: L.at == L_REWRITING || L.at == L_REWRITE_RESOLVING -> publish(L_REWRITING)
  :: else
  fi
}

inline leadership_fenced() {
  if :: publishes(L.at) -> toFenced = 1; stopContender(L_STOPPING) :: else fi
}

inline leadership_withdrawn() {
  if :: L.at == L_W_DELETING -> restOrLeave() :: else fi
}

inline leadership_not_withdrawn() {
  if :: L.at == L_W_DELETING -> L.at = L_W_BACKING_OFF; L.timer = 1 :: else fi
}

inline leadership_starts() {
  if :: L.at == L_GRANTED -> L.at = L_AWAITING :: else fi
}

inline leadership_confirms() {
  if
  :: L.at == L_AWAITING && P.election == E_SUSPENDED -> L.at = L_HELD
  :: L.at == L_AWAITING && P.election != E_SUSPENDED -> publish(L_PUBLISHING)
  :: else -> L.open = 0
  fi
}

inline leadership_settles(leaving_) {
  L.runs = 0; L.told = 0; L.started = 0; L.confirmed = 0; L.slow = 0;
  if
  :: inSession(L.at) ->
    L.leaving = leaving_; L.open = 0;
    if
    :: L.wrote -> L.timer = WITHDRAW_BOUND; withdraw()
    :: else -> restOrLeave()
    fi
  :: L.at == L_STOPPING || L.at == L_OVERSTAYING ->
    drain();
    if
    :: L.leaving == LEAVES_CLOSED -> leave()
    :: L.leaving != LEAVES_CLOSED && L.next -> given = L.next; start(given)
    :: else -> L.leaving = 0; forget(L_STANDBY)
    fi
  :: L.at == L_W_STOPPING ->
    if
    :: L.wrote && !L.lost -> L.timer = WITHDRAW_BOUND; withdraw()
    :: else -> drain(); leave()
    fi
  :: else
  fi
}

inline leadership_closes() {
  if
  :: L.at == L_STANDBY || L.at == L_OVERSTAYING ->
    if :: L.next -> drained++ :: else fi;
    leave()
  :: inSession(L.at) -> stopContender(L_W_STOPPING); L.leaving = LEAVES_CLOSED
  :: L.at == L_STOPPING ->
    if :: L.next -> drained++; L.next = 0 :: else fi;
    L.leaving = LEAVES_CLOSED
  :: L.at >= L_W_STOPPING && L.at <= L_W_BACKING_OFF -> L.leaving = LEAVES_CLOSED
  :: L.at == L_RESTING -> forget(L_CLOSED)
  :: else
  fi
}

inline leadership_elapses() {
  L.timer = OFF;
  if
  :: L.at == L_BACKING_OFF && P.election == E_SUSPENDED -> L.at = L_HELD
  :: L.at == L_BACKING_OFF && P.election != E_SUSPENDED -> publish(L_PUBLISHING)
  :: L.at == L_REWRITE_LATER && P.election == E_SUSPENDED -> L.at = L_SETTLED
  :: L.at == L_REWRITE_LATER && P.election != E_SUSPENDED -> publish(L_REWRITING)
  :: L.at == L_STOPPING ->
    overstayed++;
    if
    :: L.leaving == LEAVES_CLOSED -> leave()
    :: else -> L.at = L_OVERSTAYING; L.overstayed = 1
    fi
  :: L.at == L_W_STOPPING -> overstayed++; leave()
  :: L.at == L_W_DELETING -> restOrLeave()
  :: L.at == L_W_BACKING_OFF -> L.timer = 1; withdraw()
  :: L.at == L_RESTING -> forget(L_STANDBY); L.joined = 1; joined = joined | B
  fi
}
