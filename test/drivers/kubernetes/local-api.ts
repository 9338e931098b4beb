import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type StoreAnswer, type Stored, StoredObjects, type StoreEvent, status } from './stored-objects.ts';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers true when it has dealt with the request; `next` does what the server would do. */
export type Interception = (asked: Asked, response: ServerResponse, next: () => void) => boolean;

/** A small API server in this process, over plain HTTP: the semantics of `stored-objects.ts`, and any fault on top. */
export class LocalApi {
  readonly leases: StoredObjects;
  readonly configMaps: StoredObjects;
  /** Every request that has come, in order. */
  readonly asked: Asked[] = [];
  /** Decides about requests before the store does. */
  intercept: Interception = () => false;
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #watches = new Set<ServerResponse>();
  #version = 100;
  #url = '';

  private constructor() {
    const next = (): number => ++this.#version;
    this.leases = new StoredObjects(true, next);
    this.configMaps = new StoredObjects(false, next);
    this.#server = createServer((request, response) => void this.#take(request, response));
    this.#server.on('connection', (socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(): Promise<LocalApi> {
    const api = new LocalApi();
    await new Promise<void>((resolve) => api.#server.listen(0, '127.0.0.1', resolve));
    api.#url = `http://127.0.0.1:${(api.#server.address() as AddressInfo).port}`;
    return api;
  }

  /** Where it listens, or has listened. */
  get url(): string {
    return this.#url;
  }

  /** Watches that are open now. */
  get watches(): number {
    return this.#watches.size;
  }

  methods(): readonly string[] {
    return this.asked.map(({ method, query }) => (query.has('watch') ? 'WATCH' : method));
  }

  cutWatches(): void {
    for (const response of this.#watches) response.destroy();
  }

  endWatches(): void {
    for (const response of this.#watches) response.end();
  }

  sendToWatches(line: string): void {
    for (const response of this.#watches) response.write(line);
  }

  cutConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cutConnections();
    await closed;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const url = new URL(request.url ?? '/', 'http://local');
    const { method = '', headers } = request;
    const body = Buffer.concat(parts).toString();
    const asked = { method, path: url.pathname, query: url.searchParams, headers, body };
    this.asked.push(asked);
    const next = (): void => this.#serve(asked, response);
    if (!this.intercept(asked, response, next)) next();
  }

  #serve(asked: Asked, response: ServerResponse): void {
    const match = /^\/apis?\/.*v1\/namespaces\/([^/]+)\/(leases|configmaps)(?:\/([^/]+))?$/.exec(asked.path);
    if (match === null) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found');
      return;
    }
    const [, namespace = '', resource, name] = match;
    const objects = resource === 'leases' ? this.leases : this.configMaps;
    if (asked.query.get('watch') === 'true') this.#watch(objects, asked, response);
    else send(response, answerOf(objects, asked, namespace, decodeURIComponent(name ?? '')));
  }

  #watch(objects: StoredObjects, asked: Asked, response: ServerResponse): void {
    const name = (asked.query.get('fieldSelector') ?? '').replace('metadata.name=', '');
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const tell = (event: StoreEvent): void => {
      if (event.object.metadata.name === name) response.write(`${JSON.stringify(event)}\n`);
    };
    const found = objects.find(name);
    if (found !== undefined) tell({ type: 'ADDED', object: found });
    const bookmark = { kind: 'Lease', metadata: { resourceVersion: `${this.#version}` } };
    response.write(`${JSON.stringify({ type: 'BOOKMARK', object: bookmark })}\n`);
    const stop = objects.listen(tell);
    this.#watches.add(response);
    response.on('close', () => {
      stop();
      this.#watches.delete(response);
    });
  }
}

function answerOf(objects: StoredObjects, { method, body }: Asked, namespace: string, name: string): StoreAnswer {
  const given = body === '' ? {} : (JSON.parse(body) as Record<string, unknown>);
  switch (method) {
    case 'GET':
      return objects.get(name);
    case 'POST':
      if (namespace === 'missing') return status(404, 'NotFound', 'namespaces "missing" not found');
      return objects.create(given as unknown as Stored);
    case 'PUT':
      return objects.replace(name, given as unknown as Stored);
    default:
      return objects.remove(name, given.preconditions as { uid?: string });
  }
}

export function send(
  response: ServerResponse,
  { code, body }: StoreAnswer,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
