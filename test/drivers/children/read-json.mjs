// Reads a JSON file again and again until told that it is enough; reports how often it found half a file.
import { readFileSync } from 'node:fs';

let enough = false;
let reads = 0;
let torn = 0;
process.on('message', () => {
  enough = true;
});
process.send('reading');
while (!enough) {
  for (let n = 0; n < 20; n += 1) {
    reads += 1;
    try {
      JSON.parse(readFileSync(process.argv[2], 'utf8'));
    } catch {
      torn += 1;
    }
  }
  await new Promise((turn) => setImmediate(turn));
}
process.send({ reads, torn }, () => process.disconnect());
