// @ts-check
import { once } from 'node:events';
import { createServer } from 'node:http';
import { openTenure } from 'tenure';
import { sqlite } from 'tenure/sqlite';

const { PORT = '8080', TENURE_FILE: file = '.tenure/tenure.db' } = process.env;

const tenure = await openTenure({ election: 'http-service', backend: sqlite({ file }) });
const leader = tenure.follow('restserver');
/** @type {import('tenure').LeaderSession | null} */
let session = null;

const server = createServer((request, response) => {
  if (request.url === '/leader') {
    if (leader.current === null) response.writeHead(503, { 'retry-after': '1' }).end('nobody leads\n');
    // 307: the method and the body go along.
    else response.writeHead(307, { location: `${leader.current.address}/` }).end();
    return;
  }
  const role = session?.isCurrent ? `leads with fencing token ${session.fencingToken}` : 'follows';
  response.end(`process ${process.pid} ${role}\n`);
});
server.listen(Number(PORT), '127.0.0.1');
await once(server, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
const address = `http://127.0.0.1:${port}`;
console.log(`listening ${address}`);

tenure.lead('restserver', async (granted) => {
  session = granted;
  await granted.confirm({ address });
  console.log(`leading ${address}`);
  // The lock is kept until this function settles: end here whatever only the leader may do.
  if (!granted.signal.aborted) await once(granted.signal, 'abort');
  session = null;
  console.log(`not leading any more ${address}`);
});

async function shutDown() {
  await tenure.close();
  server.close();
  console.log(`closed ${address}`);
}
process.once('SIGTERM', shutDown);
process.once('SIGINT', shutDown);
