/* lease.ts: the lease as participant `who` sees it. A deadline of validity.ts is set and ended along with it. */

inline read() { leaseAsks = READ + 1 }
inline acquire() { P.driver = D_CONTENDING; leaseAsks = ACQUIRE + 1 }
inline renew() { P.driver = D_RENEWING; leaseAsks = RENEW + 1 }
inline release() { P.driver = D_WRITING; leaseAsks = RELEASE + 1 }

/* A version that was not seen before starts the local wait anew. */
inline take(shown, version) {
  P.known = 1; P.others = (shown == OTHERS); P.newest = version; P.seen = 0
}

inline decide() {
  if
  :: P.others -> P.driver = D_STANDBY
  :: else -> acquire()
  fi
}

inline loseLease() {
  P.validity = V_IDLE; P.left = 0; P.timer = OFF; P.held = 0; P.tries = 0; toLose = 1;
  decide()
}

/* The record as the asker sees it, `session` being the one that it asks for. */
inline look(session) {
  if
  :: !leaseHeld -> view = NOBODYS
  :: else ->
    if
    :: holder != who -> view = OTHERS
    :: else ->
      if
      :: leaseToken != session -> view = NOBODYS
      :: else -> view = (leaseAsked -> ASKED_FOR : OURS)
      fi
    fi
  fi
}

/* record.seen, and late answers that show a record; the newest record is what the store holds. */
inline lease_sees() {
  look(P.held);
  if
  :: P.driver == D_LOOKING || P.driver == D_LAPSED ->
    if :: isNews -> take(view, 1) :: else fi;
    if :: isSeen -> P.timer = OFF; decide() :: else fi
  :: P.driver == D_BACKING_OFF ->
    if :: isNews -> take(view, 1); P.timer = OFF; decide() :: else fi
  :: P.driver == D_STANDBY ->
    if :: isNews -> take(view, 1); decide() :: else fi
  :: P.driver == D_YIELDING ->
    if
    :: isNews ->
      take(view, 1);
      if :: P.others -> P.timer = OFF; P.driver = D_STANDBY :: else fi
    :: else
    fi
  :: P.driver == D_CONTENDING || P.driver == D_IDLE ->
    if :: isNews -> take(view, 1) :: else fi
  :: holds(P.driver) ->
    if
    :: !isNews
    :: isNews && view < OURS -> take(view, 1); loseLease()
    :: else ->
      take(view, 1);
      if :: view == ASKED_FOR -> toStepDown = 1 :: else fi
    fi
  :: releases(P.driver) ->
    if :: isNews && view >= OURS -> take(view, 1) :: else fi
  :: else
  fi
}

inline endLease() { P.driver = D_IDLE; P.validity = V_IDLE; P.left = 0; P.timer = OFF; P.tries = 0; toReturn = 1 }

inline tryReleaseAgain() {
  if
  :: !P.tries -> P.tries = 1; P.driver = D_RETRYING; P.timer = 1
  :: else -> endLease(); P.held = 0
  fi
}

inline lease_hears() {
  isNews = aNewest && !P.newest; isSeen = 0;
  if
  :: aKind == READ ->
    if
    :: aOut == SEEN ->
      if :: !P.known -> take(aView, aNewest) :: else fi;
      isSeen = 1; toSee = 1
    :: else ->
      if :: P.driver == D_LOOKING || P.driver == D_LAPSED -> P.driver = D_BACKING_OFF; P.timer = 1 :: else fi
    fi
  :: aKind == ACQUIRE && P.driver == D_CONTENDING ->
    if
    :: aOut == OK && aAge >= VALID -> take(NOBODYS, aNewest); P.driver = D_LOOKING; read()
    :: aOut == OK && aAge < VALID ->
      take(NOBODYS, aNewest); P.driver = D_FRESH; P.timer = 1; P.held = aToken;
      P.validity = V_FRESH; P.left = VALID - aAge; toAcquired = 1
    :: aOut == CONFLICT ->
      /* What was seen since the acquisition left is newer than what a late conflict shows. */
      if :: !P.newest -> take(aView, aNewest) :: else fi;
      decide()
    :: aOut == REFUSED -> P.driver = D_BACKING_OFF; P.timer = 1
    :: else -> P.driver = D_LOOKING; read()
    fi
  :: aKind == ACQUIRE && P.driver == D_STOPPING ->
    if
    :: aOut == OK -> take(NOBODYS, aNewest); P.held = aToken; release(); P.driver = D_RETURNING
    :: else -> P.driver = D_IDLE; toStopped = 1
    fi
  :: aKind == RENEW && P.driver == D_RENEWING && aToken == P.held ->
    if
    :: aOut == OK ->
      take(NOBODYS, aNewest); P.driver = D_FRESH; P.timer = 1;
      if :: VALID - aAge >= P.left && aAge < VALID -> P.left = VALID - aAge :: else fi;
      if :: P.validity == V_SUSPENDED -> P.validity = V_FRESH; toResume = 1 :: else fi
    :: aOut == CONFLICT && aView >= OURS ->
      /* An earlier renewal whose answer was lost has been applied: go on from its version. */
      take(NOBODYS, aNewest);
      if :: aView == ASKED_FOR -> toStepDown = 1 :: else fi;
      renew()
    :: aOut == CONFLICT && aView < OURS -> take(aView, aNewest); loseLease()
    :: else ->
      P.driver = D_OVERDUE; P.timer = 1;
      if :: P.validity == V_FRESH -> P.validity = V_SUSPENDED; toSuspend = 1 :: else fi
    fi
  :: aKind == RENEW && P.driver == D_SETTLING && aToken == P.held ->
    if
    :: aOut == CONFLICT && aView < OURS -> take(aView, aNewest); endLease(); P.held = 0
    :: else ->
      if :: aOut == OK || aOut == CONFLICT -> take(NOBODYS, aNewest) :: else fi;
      release()
    fi
  :: aKind == RELEASE && P.driver == D_RETURNING && aToken == P.held ->
    if :: isNews -> take(aView, 1) :: else fi;
    P.driver = D_IDLE; P.held = 0; toStopped = 1
  :: aKind == RELEASE && P.driver == D_WRITING && aToken == P.held ->
    if
    :: aOut == OK -> take(NOBODYS, aNewest); endLease(); P.held = 0
    :: aOut == CONFLICT && aView >= OURS -> take(NOBODYS, aNewest); release()
    :: aOut == CONFLICT && aView < OURS -> take(aView, aNewest); endLease(); P.held = 0
    :: else -> tryReleaseAgain()
    fi
  :: else ->
    /* Late: only what it shows counts. */
    if :: aOut == OK || aOut == CONFLICT -> toSee = 1 :: else fi
  fi
}

inline lease_contends() {
  if
  :: (P.driver == D_IDLE || P.driver == D_LAPSED) && P.yielding -> P.driver = D_YIELDING; P.timer = DURATION
  :: P.driver == D_IDLE && !P.yielding && P.known -> decide()
  :: P.driver == D_IDLE && !P.yielding && !P.known -> P.driver = D_LOOKING; read()
  :: else
  fi
}

inline lease_stops() {
  if
  :: P.driver == D_CONTENDING -> P.driver = D_STOPPING
  :: P.driver <= D_YIELDING || P.driver == D_LAPSED -> P.driver = D_IDLE; P.timer = OFF; toStopped = 1
  :: else
  fi
}

inline lease_elapses() {
  P.timer = OFF;
  if
  :: P.driver == D_BACKING_OFF -> P.driver = D_LOOKING; read()
  :: P.driver == D_STANDBY -> acquire()
  :: P.driver == D_YIELDING ->
    if
    :: P.known && P.others -> P.driver = D_STANDBY
    :: else -> P.driver = D_LOOKING; read()
    fi
  :: P.driver == D_FRESH || P.driver == D_OVERDUE -> renew()
  :: P.driver == D_RETRYING -> release()
  fi
}
