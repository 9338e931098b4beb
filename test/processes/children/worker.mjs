// One real participant. Prints one JSON line per event, with CLOCK_MONOTONIC nanoseconds (comparable across processes on
// one machine). argv: the SQLite file, its name, and optionally the file that it appends to while it leads.
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { sqlite } from '../../../dist/src/drivers/sqlite/index.js';
import { openTenure } from '../../../dist/src/index.js';

const [file, name, log] = process.argv.slice(2);
const say = (event, fields = {}) => {
  const line = { event, name, at: String(process.hrtime.bigint()), ...fields };
  process.stdout.write(`${JSON.stringify(line, (_, value) => (typeof value === 'bigint' ? String(value) : value))}\n`);
};

const tenure = await openTenure({
  election: 'processes',
  name,
  backend: sqlite({ file }),
  timing: { leaseDurationMs: 3_000, renewMs: 500, callTimeoutMs: 500, marginMs: 1_000, stopBoundMs: 2_000 },
  onFinding: ({ code, detail }) => say('finding', { code, detail }),
});

/** Tries to write under a session that may be over, past every check of the library: only the fence can refuse it. */
async function writeBehindTheBack(session) {
  const raw = await sqlite({ file }).open({
    election: 'processes',
    identity: 'behind-the-back',
    clock: (await import('../../../dist/src/drivers/system/clock.js')).systemClock(),
    random: (await import('../../../dist/src/drivers/system/random.js')).systemRandom(),
  });
  const call = { timeoutMs: 2_000 };
  const reading = await raw.register.read(call);
  const { id: sessionId, fencingToken } = session;
  const entry = { sessionId, fencingToken, address: 'http://deposed', metadata: {} };
  const result = await raw.register.write(
    {
      expectedVersion: reading.state.version,
      fence: { sessionId, fencingToken },
      puts: new Map([['main', entry]]),
      withdrawals: new Map(),
    },
    call,
  );
  await raw.close();
  return result;
}

let current;
tenure.lead('main', async (session) => {
  const token = session.fencingToken;
  say('granted', { token });
  session.onSuspension((suspended) => say(suspended ? 'suspended' : 'resumed', { token }));
  current = session;
  let hasWorked = false;
  const work = setInterval(() => {
    if (log === undefined || !session.isCurrent) return;
    appendFileSync(log, `${token} ${process.pid}\n`);
    if (!hasWorked) say('worked', { token });
    hasWorked = true;
  }, 5);
  session.signal.addEventListener('abort', () => {
    say('stopped', { token, code: session.signal.reason.code });
  });
  await session.confirm({ address: `pid:${process.pid}` });
  say('confirmed', { token });
  await new Promise((resolve) => session.signal.addEventListener('abort', resolve, { once: true }));
  clearInterval(work);
});

// Frozen from inside a turn: a transaction is one synchronous call, so none is open now. Frozen from outside, a process
// can hold the file's write lock in its sleep, and then nobody can lead before it wakes up or dies.
process.on('SIGUSR2', async () => {
  say('freezes');
  process.kill(process.pid, 'SIGSTOP');
  // The first thing after the thaw: no timer and no watch has run yet.
  const token = current.fencingToken;
  try {
    current.assertCurrent();
    say('unnoticed', { token });
  } catch (error) {
    say('refused', { token, code: error.code });
  }
  const { outcome, reason } = await writeBehindTheBack(current);
  say('write', { token, outcome, reason });
});

process.on('SIGTERM', async () => {
  await tenure.close();
  say('closed');
});
say('standing');
