import { startKubernetes } from './kubernetes/start-kubernetes.ts';

/** A real API server to play with, until Ctrl-C: `npm run server:kubernetes`. */
const kubernetes = await startKubernetes();
const lines = {
  server: kubernetes.url,
  'certificate authority': kubernetes.caFile,
  token: kubernetes.adminToken,
  KUBECONFIG: await kubernetes.kubeconfig(),
  logs: kubernetes.folder,
};
for (const [name, value] of Object.entries(lines)) process.stdout.write(`${name.padEnd(22)}${value}\n`);
process.stdout.write('It runs until Ctrl-C.\n');

const stopped = new Promise<void>((settle) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => settle());
});
// Nothing else keeps this process alive.
const alive = setInterval(() => {}, 60_000);
await stopped;
clearInterval(alive);
await kubernetes.stop();
