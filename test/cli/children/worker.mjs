// Work for `tenure run`: says when it starts, ticks while it lives, says which signals reach it.
// usage: node worker.mjs [stubborn] [code]
import { writeSync } from 'node:fs';

const [mood = 'polite', code = '0'] = process.argv.slice(2);
const say = (...words) => writeSync(1, `${words.join(' ')}\n`);
const now = () => process.hrtime.bigint();

for (const name of ['SIGHUP', 'SIGUSR1', 'SIGUSR2']) process.on(name, () => say('received', name));
for (const name of ['SIGTERM', 'SIGINT']) {
  process.on(name, () => {
    say('received', name);
    if (mood !== 'stubborn') process.exit(Number(code));
  });
}
say('started', now(), process.pid, process.ppid, process.env.TENURE_FENCING_TOKEN);
setInterval(() => say('tick', now()), 10);
