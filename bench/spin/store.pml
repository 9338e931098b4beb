/* The store: a call of participant `who` is carried out, and every version that was the newest no longer is. */

/* I1 and I7: when the lease changes hands, nobody else may hold a valid session or still work untold. */
inline checkTakeOver() {
  for (another : 0 .. PARTICIPANTS - 1) {
    if
    :: another != who ->
      for (cj : 0 .. COMPONENTS - 1) {
        if
        :: p[another].c[cj].runs && !p[another].c[cj].told ->
          assert(!(runs(p[another].validity) && p[another].left > 0)); /* I1 */
          assert(p[another].mode < FREE) /* I7 */
        :: else
        fi
      }
    :: else
    fi
  }
}

inline clear(one) {
  one.at = 0; one.kind = 0; one.newest = 0; one.own = 0; one.token = 0; one.age = 0;
  one.puts = 0; one.dels = 0; one.out = 0; one.view = 0
}

/* What was the newest no longer is. A stray that names an older version comes to nothing whenever it arrives. */
inline growOlder() {
  for (another : 0 .. PARTICIPANTS - 1) {
    if
    :: leaseMoved ->
      p[another].newest = 0;
      if :: p[another].mode != DOWN -> p[another].leaseNews = 1 :: else fi
    :: else ->
      p[another].current = 0; p[another].watched = 0;
      for (slot : 0 .. COMPONENTS - 1) { p[another].c[slot].newest = 0 }
      if :: p[another].mode != DOWN -> p[another].news = p[another].news | bits :: else fi
    fi;
    for (slot : 0 .. CALLS - 1) {
      if
      :: p[another].call[slot].at && (p[another].call[slot].kind < LOOK) == leaseMoved ->
        p[another].call[slot].newest = 0;
        if :: p[another].call[slot].at >= STRAY -> clear(p[another].call[slot]) :: else fi
      :: else
      fi
    }
  }
}

inline writeLease() {
  aOut = OK;
  if
  :: aKind == ACQUIRE ->
    checkTakeOver();
    leaseToken++; aToken = leaseToken; leaseHeld = 1; leaseAsked = 0;
    holder = (X.at == ORPHAN -> DEAD_HOLDER : who)
  :: aKind == RELEASE -> leaseHeld = 0; holder = 0; leaseAsked = 0
  :: else
  fi;
  leaseMoved = 1
}

inline writeRegister() {
  aOut = OK; bits = 0;
  assert(aToken >= fence); /* I2 */
  if :: aToken != fence -> fence = aToken; bits = FENCE_NEWS :: else fi;
  for (cj : 0 .. COMPONENTS - 1) {
    if
    :: (X.puts & B) ->
      if :: entry[cj] != aToken -> entry[cj] = aToken; bits = bits | B :: else fi;
      if :: L.token == aToken -> L.undone = 0 :: else fi
    :: (X.dels & B) && (entry[cj] == aToken || (PLANT == ERASING && entry[cj] > 0)) ->
      assert(entry[cj] == aToken || entry[cj] == OLD); /* I3 */
      entry[cj] = 0; bits = bits | B
    :: else
    fi
  }
  registerMoved = 1
}

/* A write in doubt has landed exactly if all of it is there. */
inline lookUp() {
  yes = 1;
  for (cj : 0 .. COMPONENTS - 1) {
    if
    :: ((X.puts & B) && entry[cj] != aToken) || ((X.dels & B) && entry[cj] == aToken) -> yes = 0
    :: else
    fi
  }
  if
  :: yes -> aOut = OK;
    for (cj : 0 .. COMPONENTS - 1) {
      if :: (X.puts & B) && L.token == aToken -> L.undone = 0 :: else fi
    }
  :: else -> aOut = DEAD
  fi
}

/* Call `cx` of `who`: the answer is left in a… for the post office. */
inline carryOut() {
  aKind = X.kind; aToken = X.token; aAge = X.age; aOwn = X.own; aNewest = 1; aView = NOBODYS;
  if
  :: aKind == READ -> aOut = SEEN; look(0); aView = view
  :: aKind > READ && aKind < LOOK && !X.newest -> aOut = CONFLICT; look(aToken); aView = view
  :: aKind > READ && aKind < LOOK && X.newest -> writeLease()
  :: aKind >= LOOK && fence > aToken && (PLANT != UNFENCED || aKind == LOOK) -> aOut = FENCE
  :: aKind == LOOK && fence <= aToken ->
    if
    :: P.current -> aOut = UNMOVED
    :: else -> lookUp()
    fi
  :: else ->
    if
    :: X.newest -> writeRegister()
    :: else -> aOut = CONFLICT
    fi
  fi;
  if :: PLANT == LATE_DEADLINE -> aAge = 0 :: else fi
}
