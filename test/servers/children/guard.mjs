// Outlives the process that starts servers, to end them when that one is killed. Told by lines on its input:
// `start PID` and `end PID` (leaders of process groups) and `folder PATH`. The input ends with its writer, however
// that one ends.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

const groups = new Set();
const folders = new Set();

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const [word, value] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)];
  if (word === 'start') groups.add(Number(value));
  else if (word === 'end') groups.delete(Number(value));
  else if (word === 'folder') folders.add(value);
});
lines.on('close', () => {
  for (const group of groups) {
    try {
      process.kill(-group, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});
