import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Access } from './access.ts';
import { AgentPool } from './agents.ts';
import type { Failed, StreamEnd, StreamListener, Wire, WireReply, WireRequest } from './wire.ts';

/** The other end of a watch that died without a word is noticed by the system after about so long and ten seconds. */
const KEEP_ALIVE_MS = 15_000;

/** Own requests over `node:https`, because client-node opens a connection for each call and can wait for ever. */
export class HttpsWire implements Wire {
  readonly #access: Access;
  readonly #userAgent: string;
  readonly #pool: AgentPool;

  constructor(access: Access, userAgent: string) {
    this.#access = access;
    this.#userAgent = userAgent;
    this.#pool = new AgentPool(access.server.protocol === 'https:');
  }

  /** Every connection ends, those in use too. */
  close(): void {
    this.#pool.close();
  }

  async renewCredentials(): Promise<void> {
    // Where nothing newer can be read the old ones stay, and their refusal is what the caller hears.
    await this.#access.renew().catch(() => {});
  }

  async exchange(wanted: WireRequest): Promise<WireReply> {
    const begun = await this.#begin(wanted, 'calls');
    if (!('request' in begun)) return begun;
    const { reply, onAnswer } = collected(begun);
    begun.request.on('response', onAnswer);
    begun.request.end(wanted.body ?? undefined);
    const answer = await reply;
    if (answer.kind === 'failed' && wanted.signal.aborted) this.#pool.closeIdle();
    return answer;
  }

  async stream(wanted: WireRequest, listener: StreamListener): Promise<StreamEnd> {
    const begun = await this.#begin(wanted, 'watches');
    if (!('request' in begun)) return begun;
    const { request, failed, fail } = begun;
    const ended = new Promise<StreamEnd>((resolve) => {
      void failed.then(resolve);
      request.on('response', (answer) => {
        if (answer.statusCode !== 200) {
          const { reply, onAnswer } = collected(begun);
          onAnswer(answer);
          void reply.then(resolve);
          return;
        }
        answer.setEncoding('utf8');
        answer.on('data', (part: string) => listener.text(part));
        answer.on('end', () => resolve({ kind: 'closed' }));
        answer.on('error', (error) => fail(`the watch was cut off: ${error.message}`));
        listener.opened();
      });
    });
    request.on('socket', (socket) => socket.setKeepAlive(true, KEEP_ALIVE_MS));
    request.end();
    return await ended;
  }

  async #begin(wanted: WireRequest, agents: 'calls' | 'watches'): Promise<Begun | Failed> {
    const { method, path, body, signal } = wanted;
    const unsent = (detail: string): Failed => ({ kind: 'failed', sent: false, onIdleConnection: false, detail });
    try {
      // A plugin that logs in may hang, and its answer may come when nobody waits any more.
      const credentials = await beforeAbort(this.#access.credentials(), signal);
      if (credentials === null) return unsent('there were no credentials in time');
      const { headers, tls } = credentials;
      const { server } = this.#access;
      const options: RequestOptions = {
        method,
        agent: this.#pool.with(tls)[agents],
        hostname: server.hostname.replace(/^\[|\]$/g, ''),
        port: server.port,
        path: `${server.pathname.replace(/\/$/, '')}${path}`,
        headers: { ...headers, ...this.#headersOf(body) },
        signal,
      };
      const request = (server.protocol === 'https:' ? httpsRequest : httpRequest)(options);
      return { request, ...observed(request, server, signal) };
    } catch (thrown) {
      return unsent(`no request could be made: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  }

  #headersOf(body: string | null): Record<string, string> {
    const headers = { accept: 'application/json', 'user-agent': this.#userAgent };
    if (body === null) return headers;
    // Node gives a DELETE with a body no length of its own accord; the API server then never sees the preconditions in it.
    const length = `${Buffer.byteLength(body)}`;
    return { ...headers, 'content-type': 'application/json', 'content-length': length };
  }
}

/** Null when the signal aborts first. */
function beforeAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const give = (): void => resolve(null);
    if (signal.aborted) give();
    signal.addEventListener('abort', give);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
  });
}

interface Begun {
  readonly request: ClientRequest;
  /** Settles if the request fails. */
  readonly failed: Promise<Failed>;
  readonly fail: (detail: string) => void;
}

/** Whether a request that failed may have arrived: from the moment on when the connection takes bytes of it. */
function observed(request: ClientRequest, server: URL, signal: AbortSignal): Omit<Begun, 'request'> {
  let sent = false;
  request.on('socket', (socket: Socket & { encrypted?: boolean; secureConnecting?: boolean }) => {
    const connecting = socket.connecting || socket.secureConnecting === true;
    if (request.reusedSocket || !connecting) sent = true;
    else socket.once(socket.encrypted === true ? 'secureConnect' : 'connect', () => (sent = true));
  });
  let fail: Begun['fail'] = () => {};
  const failed = new Promise<Failed>((resolve) => {
    fail = (detail) => resolve({ kind: 'failed', sent, onIdleConnection: request.reusedSocket, detail });
    request.on('error', (error: NodeJS.ErrnoException) => fail(wordsOf(error, server, sent)));
    // Node itself tells a request that waits for a connection only when it gets one, and by then never sends it.
    signal.addEventListener('abort', () => fail(timeIsUp(server, sent)), { once: true });
  });
  return { failed, fail };
}

function wordsOf(error: NodeJS.ErrnoException, server: URL, sent: boolean): string {
  if (error.name === 'AbortError') return timeIsUp(server, sent);
  return `${server.host}: ${error.message || error.code || error.name}`;
}

function timeIsUp({ host }: URL, sent: boolean): string {
  return sent ? `${host} did not answer in time` : `no connection to ${host} in time`;
}

/** The whole answer, or the failure that came before its end. */
function collected({ failed, fail }: Begun): {
  readonly reply: Promise<WireReply>;
  readonly onAnswer: (answer: IncomingMessage) => void;
} {
  let resolveAnswer: (reply: WireReply) => void = () => {};
  const answered = new Promise<WireReply>((resolve) => {
    resolveAnswer = resolve;
  });
  const onAnswer = (answer: IncomingMessage): void => {
    const parts: string[] = [];
    answer.setEncoding('utf8');
    answer.on('data', (part: string) => parts.push(part));
    answer.on('error', (error) => fail(`the answer was cut off: ${error.message}`));
    answer.on('end', () => {
      const retryAfterMs = retryAfterOf(answer.headers['retry-after']);
      resolveAnswer({ kind: 'answered', code: answer.statusCode ?? 0, retryAfterMs, body: parts.join('') });
    });
  };
  return { reply: Promise.race([answered, failed]), onAnswer };
}

/** Seconds; the API server sends no dates. */
function retryAfterOf(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : null;
}
