/** One participant of `tenure demo`: a process of its own that offers two components for real. */
import { createServer, type Server } from 'node:net';
import { sqlite } from '../../drivers/sqlite/index.ts';
import { monotonicNs } from '../../drivers/system/monotonic.ts';
import type { LeaderSession, Tenure } from '../../runtime/api.ts';
import { openTenure } from '../../runtime/open-tenure.ts';
import { DEMO_COMPONENTS, DEMO_TIMING, type DemoComponent, type FromWorker, type ToWorker } from './messages.ts';

type Unstamped = FromWorker extends infer M ? (M extends FromWorker ? Omit<M, 'ns'> : never) : never;

const [file = '', election = '', name = ''] = process.argv.slice(2);

// Ctrl-C reaches the whole group; the demo itself decides when its participants end.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit(0));

const tenure: Tenure = await openTenure({
  election,
  name,
  backend: sqlite({ file }),
  timing: DEMO_TIMING,
  trace: { record: (line) => tell({ kind: 'trace', line }) },
});
process.on('message', (message: ToWorker) => {
  if (message.kind === 'stand') for (const component of DEMO_COMPONENTS) stand(component);
  else if (message.kind === 'step-down') void tenure.stepDown();
  else void close();
});
tell({ kind: 'ready', identity: tenure.identity });

function stand(component: DemoComponent): void {
  tenure.lead(component, async (session) => {
    tell({ kind: 'began', component, sessionId: session.id, token: String(session.fencingToken) });
    try {
      await serve(component, session);
    } finally {
      tell({ kind: 'ended', component, sessionId: session.id });
    }
  });
}

async function serve(component: DemoComponent, session: LeaderSession): Promise<void> {
  const server = createServer((socket) => socket.end());
  const port = await listen(server);
  const address = `${component === 'restserver' ? 'http' : 'tcp'}://127.0.0.1:${port}`;
  tell({ kind: 'publishing', component, address });
  session.confirm({ address }).catch(() => {});
  await new Promise<void>((settle) => {
    if (session.signal.aborted) settle();
    else session.signal.addEventListener('abort', () => settle(), { once: true });
  });
  await new Promise<void>((settle) => server.close(() => settle()));
}

async function listen(server: Server): Promise<number> {
  return await new Promise((settle, fail) => {
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      settle(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

async function close(): Promise<void> {
  await tenure.close();
  tell({ kind: 'closed' });
}

function tell(message: Unstamped): void {
  if (process.connected) process.send?.({ ...message, ns: String(monotonicNs()) });
}
