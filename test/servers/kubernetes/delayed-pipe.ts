import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './ports.ts';

/** A TCP connection to `target` whose answers come late: an API server behind it lags behind the other one. */
export class DelayedPipe {
  readonly port: number;
  readonly #server: Server;
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  /** How late the bytes from the target arrive. `Infinity` holds them until it is set to less. */
  #lagMs: number;
  readonly #lines = new Set<Line>();

  private constructor(port: number, target: number, lagMs: number) {
    this.port = port;
    this.#target = target;
    this.#lagMs = lagMs;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  static async open(target: number, lagMs: number): Promise<DelayedPipe> {
    const pipe = new DelayedPipe(await freePort(), target, lagMs);
    await new Promise<void>((settle, reject) => {
      pipe.#server.once('error', reject).listen(pipe.port, '127.0.0.1', settle);
    });
    return pipe;
  }

  get lagMs(): number {
    return this.#lagMs;
  }

  set lagMs(value: number) {
    this.#lagMs = value;
    for (const line of this.#lines) line.flush();
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    for (const line of this.#lines) line.end();
  }

  #accept(client: Socket): void {
    const target = connect(this.#target, '127.0.0.1');
    const line = new Line(client, () => this.#lagMs);
    this.#lines.add(line);
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      this.#sockets.add(one);
      one.setNoDelay(true);
      // Either end's failure is the other end's close.
      one.on('error', () => {});
      one.on('close', () => {
        this.#sockets.delete(one);
        this.#lines.delete(line);
        line.end();
        other.destroy();
      });
    }
    client.on('data', (chunk) => target.write(chunk));
    target.on('data', (chunk) => line.push(chunk));
  }
}

/** What waits for its time on one connection, in order whatever happens to the lag. */
class Line {
  readonly #to: Socket;
  readonly #lagMs: () => number;
  readonly #waiting: { readonly sinceMs: number; readonly chunk: Buffer }[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(to: Socket, lagMs: () => number) {
    this.#to = to;
    this.#lagMs = lagMs;
  }

  push(chunk: Buffer): void {
    this.#waiting.push({ sinceMs: performance.now(), chunk });
    this.flush();
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (;;) {
      const first = this.#waiting[0];
      if (first === undefined) return;
      const leftMs = first.sinceMs + this.#lagMs() - performance.now();
      if (leftMs > 0) {
        if (Number.isFinite(leftMs)) this.#timer = setTimeout(() => this.flush(), leftMs);
        return;
      }
      this.#waiting.shift();
      this.#to.write(first.chunk);
    }
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#waiting.length = 0;
  }
}
