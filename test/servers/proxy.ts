import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, type Server, request as send } from 'node:https';
import type { Socket } from 'node:net';
import type { Authority } from './kubernetes/certificates.ts';
import { freePort } from './kubernetes/ports.ts';
import { type ApiRequest, matches, type Pattern, parseRequest } from './proxy/api-request.ts';
import { type Fault, statusObject } from './proxy/faults.ts';
import { endToEnd, relayBody, relayEvents, relayHead, relayTrickling } from './proxy/relay.ts';
import { Rule } from './proxy/rule.ts';

export interface ProxyOptions {
  /** Of the API server. */
  readonly target: string;
  /** Of the API server's certificate; the proxy gets one of its own from it. */
  readonly authority: Authority;
}

/**
 * A TLS proxy in front of one API server, that can break what passes. Tokens pass; client certificates do not, since
 * the proxy ends the TLS connection. HTTP/1.1 only, so that one request of a client is one of the connection's.
 */
export class FaultProxy {
  readonly url: string;
  /** All that arrived, in order. */
  readonly requests: ApiRequest[] = [];
  readonly #server: Server;
  readonly #port: number;
  readonly #target: string;
  readonly #agent: Agent;
  readonly #rules: Rule[] = [];
  readonly #sockets = new Map<Socket, number>();
  /** Below TLS, so that a connection whose handshake is still under way is known too. */
  readonly #raw = new Set<Socket>();
  readonly #dead = new WeakSet<Socket>();
  #opened = 0;

  private constructor(port: number, target: string, authority: Authority, own: { certificate: string; key: string }) {
    this.url = `https://127.0.0.1:${port}`;
    this.#port = port;
    this.#target = target;
    this.#agent = new Agent({ keepAlive: true, ca: authority.certificate });
    this.#server = createServer({ cert: own.certificate, key: own.key }, (request, response) => {
      void this.#handle(request, response).catch(() => response.destroy());
    });
    // A server that the tests keep idle for minutes must not close connections by itself.
    this.#server.keepAliveTimeout = 0;
    this.#server.requestTimeout = 0;
    this.#server.on('connection', (socket: Socket) => {
      this.#raw.add(socket);
      socket.once('close', () => this.#raw.delete(socket));
    });
    this.#server.on('secureConnection', (socket) => {
      this.#opened++;
      this.#sockets.set(socket, this.#opened);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(options: ProxyOptions): Promise<FaultProxy> {
    const own = await options.authority.issue({ name: 'fault-proxy', use: 'server' });
    const proxy = new FaultProxy(await freePort(), options.target, options.authority, own);
    await proxy.accept();
    return proxy;
  }

  /** Does that to the requests of the pattern, at most `times` times. The first rule that matches counts. */
  on(pattern: Pattern, fault: Fault, times = Number.POSITIVE_INFINITY): Rule {
    const rule = new Rule(pattern, fault, times);
    this.#rules.push(rule);
    return rule;
  }

  /** How many requests of the pattern have arrived. */
  count(pattern: Pattern = {}): number {
    return this.requests.filter((request) => matches(pattern, request)).length;
  }

  /** `update leases` → how many, since the start or since that many requests. */
  counts(since = 0): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { verb, resource } of this.requests.slice(since)) {
      const what = resource === '' ? verb : `${verb} ${resource}`;
      counts[what] = (counts[what] ?? 0) + 1;
    }
    return counts;
  }

  /** Of clients, TLS handshakes done. */
  get connections(): { readonly open: number; readonly opened: number } {
    return { open: this.#sockets.size, opened: this.#opened };
  }

  /** All rules end; what they hold goes on its way. */
  clear(): void {
    for (const rule of this.#rules.splice(0)) rule.end();
  }

  /** Breaks every open connection; new ones are accepted. */
  cutConnections(): void {
    for (const socket of [...this.#sockets.keys(), ...this.#raw]) socket.destroy();
  }

  /** On every connection that is open now, nothing is heard any more and nothing breaks; new ones work. */
  deadenConnections(): void {
    for (const socket of this.#sockets.keys()) this.#dead.add(socket);
  }

  /** Connection refused, and the open ones break: as a server that is down. */
  async refuse(): Promise<void> {
    const closed = new Promise<void>((settle) => this.#server.close(() => settle()));
    this.cutConnections();
    await closed;
  }

  /** After `refuse`, on the same port. */
  async accept(): Promise<void> {
    await new Promise<void>((settle, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#port, '127.0.0.1', () => {
        this.#server.off('error', reject);
        settle();
      });
    });
  }

  async close(): Promise<void> {
    this.clear();
    if (this.#server.listening) await this.refuse();
    this.#agent.destroy();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const socket = request.socket;
    const body = await bodyOf(request);
    if (this.#dead.has(socket)) return;
    const asked = parseRequest(request.method ?? '', request.url ?? '', {
      userAgent: request.headers['user-agent'] ?? '',
      connection: this.#sockets.get(socket) ?? 0,
      atMs: Date.now(),
    });
    this.requests.push(asked);
    const rule = this.#rules.find((one) => !one.isOver && matches(one.pattern, asked));
    rule?.meet(asked);
    const exchange = { request, response, body };
    if (rule === undefined) await this.#pass(exchange, { kind: 'pass' });
    else await this.#break(exchange, rule);
  }

  async #break(exchange: Exchange, rule: Rule): Promise<void> {
    const { response } = exchange;
    const { fault } = rule;
    if (fault.kind === 'cut') return void response.destroy();
    if (fault.kind === 'answer') return answer(response, fault);
    if (fault.kind === 'hold') await rule.held();
    await this.#pass(exchange, fault, rule);
  }

  /** To the server, and its reply back as the fault wants it. */
  async #pass(
    { request, response, body }: Exchange,
    fault: Fault | { readonly kind: 'pass' },
    rule?: Rule,
  ): Promise<void> {
    const isDead = (): boolean => this.#dead.has(request.socket);
    // Only a plain request ends with its client: one that is held has to arrive although nobody waits for it.
    const abort = new AbortController();
    if (fault.kind === 'pass' || fault.kind === 'watch' || fault.kind === 'trickle') {
      response.once('close', () => abort.abort());
    }
    const reply = await this.#forward(request, body, abort.signal);
    if (fault.kind === 'drop-reply' || fault.kind === 'hold-reply') {
      const whole = await bodyOf(reply);
      if (fault.kind === 'drop-reply') return void response.destroy();
      await rule?.held();
      if (isDead()) return;
      relayHead(reply, response);
      return void response.end(whole);
    }
    if (isDead()) return;
    relayHead(reply, response);
    if (fault.kind === 'trickle') return relayTrickling(reply, response, fault);
    if (fault.kind === 'watch' && reply.statusCode === 200) return relayEvents(reply, response, fault);
    return relayBody(reply, response, isDead);
  }

  #forward(request: IncomingMessage, body: Buffer, signal: AbortSignal): Promise<IncomingMessage> {
    const headers = endToEnd(request.headers);
    // Whatever its framing was, it goes on with its length; a request without a body stays without.
    if (body.length > 0) headers['content-length'] = String(body.length);
    const to = new URL(request.url ?? '', this.#target);
    return new Promise((resolve, reject) => {
      const sent = send(to, { method: request.method, headers, agent: this.#agent, signal }, resolve);
      sent.once('error', reject);
      sent.end(body.length > 0 ? body : undefined);
    });
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function answer(response: ServerResponse, fault: Extract<Fault, { kind: 'answer' }>): void {
  const text = JSON.stringify(statusObject(fault.status, fault.reason));
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (fault.retryAfter !== undefined) headers['retry-after'] = String(fault.retryAfter);
  response.writeHead(fault.status, headers).end(text);
}
