// @ts-check

/**
 * A contender that does what it must: it confirms, works until its signal aborts, and leaves nothing running.
 *
 * @param {import('tenure').LeaderSession} session
 * @param {(what?: string) => void} [work] whatever only a leader may do; in a test, its fake
 */
export async function contender(session, work = () => {}) {
  await session.confirm({ address: 'http://127.0.0.1:8080' });
  const timer = setInterval(() => work('sending invoices'), 1_000);
  await stopped(session.signal);
  clearInterval(timer);
}

/** @param {AbortSignal} signal */
function stopped(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', resolve, { once: true });
  });
}
