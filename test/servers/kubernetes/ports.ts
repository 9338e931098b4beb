import { createServer } from 'node:net';

const FIRST = 20_000;
const LAST = 32_000;
const given = new Set<number>();

/**
 * A TCP port of 127.0.0.1 that is free now. Below the range from which outgoing connections get theirs: a server that
 * is restarted on its port finds it free, and no client that tries again meanwhile connects to itself.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 1_000; tries++) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`no free port between ${FIRST} and ${LAST}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const probe = createServer();
    probe.once('error', () => settle(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => settle(true)));
  });
}
