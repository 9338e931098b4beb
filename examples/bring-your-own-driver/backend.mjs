// @ts-check

/** @typedef {import('tenure').LeaseRecord} LeaseRecord */
/** @typedef {import('tenure').LeaseWrite} LeaseWrite */
/** @typedef {import('tenure').ContainerState} ContainerState */
/** @typedef {import('tenure').ContainerWrite} ContainerWrite */
/** @typedef {Extract<import('tenure').ContainerWriteResult, { outcome: 'refused' }>} Refused */
/** @typedef {import('./key-value.mjs').Stored} Stored */

const CLOSED = { outcome: /** @type {const} */ ('refused'), detail: 'the backend has been closed' };

/**
 * A backend for `openTenure` over a store with compare-and-set: one value for the lock, one for the register.
 * `contract.test.mjs` holds it to what Tenure expects.
 * @param {import('./key-value.mjs').KeyValueStore} store
 * @returns {import('tenure').Backend}
 */
export function keyValue(store) {
  return {
    name: 'key-value',
    async open({ election, clock }) {
      /** @type {Set<() => void>} */
      const stops = new Set();
      let isClosed = false;
      /** @param {string} key @param {(stored: Stored) => void} tell */
      const watch = (key, tell) => {
        if (isClosed) return () => {};
        const stop = store.watch(key, tell);
        stops.add(stop);
        return stop;
      };
      const leaseKey = `${election}/lease`;
      const registerKey = `${election}/leaders`;
      return {
        place: `key-value (${election})`,
        protection: 'lease',
        lease: {
          async read() {
            if (isClosed) return { outcome: 'failed', detail: CLOSED.detail };
            const record = recordOf(await store.get(leaseKey));
            return record === null ? { outcome: 'absent' } : { outcome: 'found', record };
          },
          async write(write) {
            if (isClosed) return CLOSED;
            const found = recordOf(await store.get(leaseKey));
            const next = found?.version === (write.expectedVersion ?? undefined) ? after(found, write, clock) : null;
            const isDone =
              next !== null && (await store.compareAndSet(leaseKey, found?.version ?? 0n, textOf(next.fields)));
            if (isDone) return { outcome: 'committed', record: next.record };
            return { outcome: 'conflict', record: recordOf(await store.get(leaseKey)) };
          },
          watch: (listener) => watch(leaseKey, (stored) => listener(recordOf(stored))),
        },
        register: {
          async read({ keys }) {
            if (isClosed) return { outcome: 'failed', detail: CLOSED.detail };
            const state = stateOf(await store.get(registerKey));
            if (keys === undefined) return { outcome: 'found', state };
            const changed = new Map([...state.changed].filter(([key]) => keys.includes(key)));
            return { outcome: 'found', state: { ...state, changed } };
          },
          async write(write) {
            if (isClosed) return { ...CLOSED, reason: 'unavailable' };
            const state = stateOf(await store.get(registerKey));
            // Before the version: a deposed writer must hear that it is deposed, not that it should try again.
            const refusal = refusalOf(state, write);
            if (refusal !== null) return refusal;
            const isDone =
              state.version === write.expectedVersion &&
              (await store.compareAndSet(registerKey, state.version, textOf(written(state, write))));
            if (isDone) return { outcome: 'committed', version: state.version + 1n };
            const { version, fence } = stateOf(await store.get(registerKey));
            return { outcome: 'conflict', version, fence };
          },
          watch: (listener) => watch(registerKey, (stored) => listener(stateOf(stored))),
        },
        async close() {
          isClosed = true;
          for (const stop of stops) stop();
        },
      };
    },
  };
}

/**
 * The record after a write that names its version; null when such a write does not fit it.
 * @param {LeaseRecord | null} found @param {LeaseWrite} write @param {import('tenure').Clock} clock
 */
function after(found, write, clock) {
  const now = clock.isoNow();
  /** @param {Omit<LeaseRecord, 'version'>} fields */
  const next = (fields) => ({ fields, record: { ...fields, version: (found?.version ?? 0n) + 1n } });
  if (write.kind === 'acquire') {
    const { holder, sessionId, durationMs } = write;
    const fencingToken = (found?.fencingToken ?? 0n) + 1n;
    return next({ holder, sessionId, durationMs, fencingToken, stepDownFor: '', acquiredAt: now, renewedAt: now });
  }
  if (found === null || found.holder === '') return null;
  const { version, ...fields } = found;
  if (write.kind === 'renew') return next({ ...fields, durationMs: write.durationMs, renewedAt: now });
  if (write.kind === 'release') return next({ ...fields, holder: '', sessionId: '', stepDownFor: '' });
  return write.sessionId === found.sessionId ? next({ ...fields, stepDownFor: write.sessionId }) : null;
}

/**
 * @param {ContainerState} state @param {ContainerWrite} write
 * @returns {Refused | null}
 */
function refusalOf({ fence }, { fence: writer }) {
  const isOlder = fence !== null && fence.fencingToken > writer.fencingToken;
  const isOther = fence?.fencingToken === writer.fencingToken && fence.sessionId !== writer.sessionId;
  if (fence === null || !(isOlder || isOther)) return null;
  return { outcome: 'refused', reason: 'fenced', detail: `the fence is at token ${fence.fencingToken}`, fence };
}

/** @param {ContainerState} state @param {ContainerWrite} write */
function written({ changed }, { fence, puts, withdrawals }) {
  const kept = [...changed].filter(([key, entry]) => withdrawals.get(key) !== entry?.sessionId);
  return { fence, entries: [...new Map([...kept, ...puts])] };
}

/** @param {Stored} stored @returns {LeaseRecord | null} */
function recordOf(stored) {
  return stored === null ? null : { ...parsed(stored.value), version: stored.revision };
}

/**
 * Always the whole map: this store keeps no history.
 * @param {Stored} stored @returns {ContainerState}
 */
function stateOf(stored) {
  if (stored === null) return { version: 0n, fence: null, full: true, changed: new Map() };
  const { fence, entries } = parsed(stored.value);
  return { version: stored.revision, fence, full: true, changed: new Map(entries) };
}

/** JSON has no bigint. @param {unknown} value */
function textOf(value) {
  return JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? { bigint: `${field}` } : field));
}

/** @param {string} text */
function parsed(text) {
  return JSON.parse(text, (_, field) => (typeof field?.bigint === 'string' ? BigInt(field.bigint) : field));
}
