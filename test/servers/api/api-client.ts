import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import type { Answer, Api, CallOptions, Method, Watching } from './api.ts';
import { WatchStream } from './watch-stream.ts';

export interface ApiClientOptions {
  readonly url: string;
  /** Certificate of the authority, PEM. */
  readonly ca: string;
  readonly token?: string;
  /** A client certificate and its key, PEM. */
  readonly certificate?: { readonly certificate: string; readonly key: string };
}

/** Plain `node:https` on a real API server: nothing between the test and the answer. */
export class ApiClient implements Api {
  readonly #options: ApiClientOptions;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #watches = new Set<Watching>();

  constructor(options: ApiClientOptions) {
    this.#options = options;
  }

  async call(method: Method, path: string, options: CallOptions = {}): Promise<Answer> {
    const text = bodyText(options.body);
    const response = await this.#send(method, path, this.#agent, options, text);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { status: response.statusCode ?? 0, headers: response.headers, body: parsed(Buffer.concat(chunks)) };
  }

  async watch(path: string, options: { readonly token?: string } = {}): Promise<Watching> {
    const response = await this.#send('GET', path, new Agent(), options, null);
    const stream = await WatchStream.open(response);
    this.#watches.add(stream);
    return stream;
  }

  close(): void {
    for (const watch of this.#watches) watch.close();
    this.#agent.destroy();
  }

  #send(
    method: Method,
    path: string,
    agent: Agent,
    options: CallOptions,
    text: string | null,
  ): Promise<IncomingMessage> {
    const { url, ca, certificate } = this.#options;
    const token = options.token ?? this.#options.token;
    const headers: IncomingHttpHeaders = { accept: 'application/json', ...options.headers };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    if (text !== null) {
      headers['content-type'] = options.contentType ?? 'application/json';
      // Node sends the body of a DELETE without any length otherwise: the server would not see it as one.
      headers['content-length'] = String(Buffer.byteLength(text));
    }
    const how: RequestOptions = { method, agent, ca, headers };
    if (certificate !== undefined) Object.assign(how, { cert: certificate.certificate, key: certificate.key });
    if (options.signal !== undefined) how.signal = options.signal;
    return new Promise((resolve, reject) => {
      const sent = request(new URL(path, url), how, resolve);
      sent.once('error', reject);
      sent.end(text ?? undefined);
    });
  }
}

function bodyText(body: unknown): string | null {
  if (body === undefined) return null;
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function parsed(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    // Not every answer is JSON: /readyz says `ok`.
    return text;
  }
}
