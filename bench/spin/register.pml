/* container.ts: the only writer of the register in participant `who`. */

/* A write that changes nothing but the version: it raises the fence, or kills a write in doubt. */
inline touch(state) { P.reg = state; registerAsks = WRITE }
inline readBack() { P.reg = R_READING; registerAsks = LOOK }

/* Everything that waits joins one write; of each component the last operation counts. */
inline write() {
  P.puts = (P.puts & (EVERY - P.queueDels)) | P.queuePuts;
  P.dels = (P.dels & (EVERY - P.queuePuts)) | P.queueDels;
  P.queuePuts = 0; P.queueDels = 0; P.reg = R_WRITING; registerAsks = WRITE
}

inline writeOrRest() {
  P.puts = 0; P.dels = 0;
  if
  :: P.queuePuts || P.queueDels -> write()
  :: else -> P.reg = R_READY
  fi
}

inline fenceAll(state) {
  toUnwritten = toUnwritten | P.puts | P.queuePuts; toWithdrawn = toWithdrawn | P.dels | P.queueDels;
  P.puts = 0; P.dels = 0; P.queuePuts = 0; P.queueDels = 0; P.reg = state; P.later = 0
}

inline failAll() {
  toFailed = P.puts | P.queuePuts; toNotWithdrawn = P.dels | P.queueDels;
  P.puts = 0; P.dels = 0; P.queuePuts = 0; P.queueDels = 0; P.reg = R_READY
}

inline register_takes() {
  if
  :: (P.reg == R_SHUT || P.reg == R_FENCED) -> toUnwritten = toUnwritten | toPublish; toWithdrawn = toWithdrawn | toWithdraw
  :: else ->
    P.queuePuts = (P.queuePuts | toPublish) & (EVERY - toWithdraw);
    P.queueDels = (P.queueDels | toWithdraw) & (EVERY - toPublish);
    if :: P.reg == R_READY -> write() :: else fi
  fi;
  toPublish = 0; toWithdraw = 0
}

inline register_hears() {
  if
  :: !aOwn
  :: aOwn && aOut == FENCE && P.reg == R_RAISING -> toRefused = 1; fenceAll(R_FENCED)
  :: aOwn && aOut == FENCE && P.reg > R_READY -> fenceAll(R_FENCED)
  :: aOwn && aOut != FENCE && P.reg == R_RAISING ->
    if
    :: aOut == OK -> P.current = aNewest; writeOrRest()
    :: aOut == CONFLICT -> P.current = aNewest; touch(R_RAISING)
    :: else -> P.reg = R_RAISE_LATER; P.later = 1
    fi
  :: aOwn && aOut != FENCE && P.reg == R_WRITING ->
    if
    :: aOut == OK -> P.current = aNewest; toCommitted = P.puts; toWithdrawn = P.dels; writeOrRest()
    :: aOut == CONFLICT -> P.current = aNewest; write()
    :: aOut == REFUSED -> failAll()
    :: else -> toUnknown = P.puts; readBack()
    fi
  :: aOwn && aOut != FENCE && P.reg == R_READING ->
    if
    :: aOut == UNMOVED -> touch(R_TOUCHING)
    :: aOut == OK -> P.current = aNewest; toCommitted = P.puts; toWithdrawn = P.dels; writeOrRest()
    :: aOut == DEAD -> P.current = aNewest; toDead = P.puts; toNotWithdrawn = P.dels; writeOrRest()
    :: else -> P.reg = R_READ_LATER; P.later = 1
    fi
  :: aOwn && aOut != FENCE && P.reg == R_TOUCHING ->
    if
    :: aOut == OK -> P.current = aNewest; toDead = P.puts; toNotWithdrawn = P.dels; writeOrRest()
    :: aOut == CONFLICT -> readBack()
    :: else -> P.reg = R_READ_LATER; P.later = 1
    fi
  :: else
  fi
}

inline register_opens() {
  P.writes = P.token; P.current = P.current || P.watched;
  fenceAll(R_RAISING); touch(R_RAISING)
}
