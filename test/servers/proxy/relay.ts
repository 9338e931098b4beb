import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type AfterEvents, statusObject } from './faults.ts';

/** What belongs to one connection only, not to the message. */
const HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'proxy-connection', 'upgrade', 'te', 'trailer']);

export function endToEnd<T>(headers: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP.has(name)));
}

export function relayHead(from: IncomingMessage, to: ServerResponse): void {
  to.writeHead(from.statusCode ?? 502, endToEnd(from.headers));
  // A watch's head must not wait for its first event.
  to.flushHeaders();
}

/** `isDead`: bytes for that connection go nowhere. */
export async function relayBody(from: IncomingMessage, to: ServerResponse, isDead: () => boolean): Promise<void> {
  for await (const chunk of from) if (!isDead()) to.write(chunk);
  if (!isDead()) to.end();
}

export async function relayTrickling(
  from: IncomingMessage,
  to: ServerResponse,
  { bytes, everyMs }: { readonly bytes: number; readonly everyMs: number },
): Promise<void> {
  for await (const chunk of from as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length && !to.destroyed; at += bytes) {
      await pause(everyMs);
      to.write(chunk.subarray(at, at + bytes));
    }
  }
  to.end();
}

/** Passes on so many events, then goes on as it says. */
export async function relayEvents(
  from: IncomingMessage,
  to: ServerResponse,
  { events, after }: { readonly events: number; readonly after: AfterEvents },
): Promise<void> {
  let left = events;
  let rest = '';
  if (left > 0) {
    for await (const text of from.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.slice(0, left)) await written(to, `${line}\n`);
      left -= lines.length;
      if (left <= 0) break;
    }
    // The server ended it first.
    if (left > 0) return void to.end();
  }
  from.destroy();
  if (after === 'silence') return;
  if (after === 'cut') return void to.destroy();
  if (after !== 'end') to.write(`${JSON.stringify({ type: 'ERROR', object: statusObject(after.error) })}\n`);
  to.end();
}

/** In the hands of the system: a cut after it takes nothing of it back. */
function written(to: ServerResponse, text: string): Promise<void> {
  return new Promise((settle) => to.write(text, () => settle()));
}
