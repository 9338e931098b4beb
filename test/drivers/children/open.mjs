// What the other children share: the compiled drivers, and this process as a participant.
const [folder, file, ...rest] = process.argv.slice(2);
const load = (path) => import(`${folder}/${path}`);
const { systemClock } = await load('src/drivers/system/clock.js');
const { systemRandom } = await load('src/drivers/system/random.js');
const { sqlite } = await load('src/drivers/sqlite/index.js');
const { loadEngine } = await load('src/drivers/sqlite/engine.js');

export const args = rest;
export const engine = await loadEngine();
export const openConnection = () => engine.open(file);
export const openBackend = (pollMs = 20) =>
  sqlite({ file, pollMs }).open({
    election: 'billing',
    identity: `child ${process.pid}`,
    clock: systemClock(),
    random: systemRandom(),
  });
