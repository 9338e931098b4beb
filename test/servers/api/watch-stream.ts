import type { IncomingMessage } from 'node:http';
import type { WatchEvent, Watching } from './api.ts';

/** The lines of a watch, kept until somebody asks for them. */
export class WatchStream implements Watching {
  readonly status: number;
  readonly refusal: unknown;
  readonly #response: IncomingMessage;
  readonly #events: WatchEvent[] = [];
  #hasEnded = false;
  #wake: () => void = () => {};

  private constructor(response: IncomingMessage, refusal: unknown) {
    this.status = response.statusCode ?? 0;
    this.refusal = refusal;
    this.#response = response;
  }

  static async open(response: IncomingMessage): Promise<WatchStream> {
    if (response.statusCode === 200) {
      const stream = new WatchStream(response, null);
      stream.#read();
      return stream;
    }
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
    const stream = new WatchStream(response, JSON.parse(text));
    stream.#hasEnded = true;
    return stream;
  }

  async next(withinMs: number): Promise<WatchEvent | 'silence' | 'end'> {
    const limit = Date.now() + withinMs;
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) return event;
      if (this.#hasEnded) return 'end';
      const leftMs = limit - Date.now();
      if (leftMs <= 0) return 'silence';
      await new Promise<void>((settle) => {
        const timer = setTimeout(settle, leftMs);
        this.#wake = () => {
          clearTimeout(timer);
          settle();
        };
      });
    }
  }

  close(): void {
    this.#response.destroy();
    this.#over();
  }

  #read(): void {
    let rest = '';
    this.#response.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') this.#events.push(JSON.parse(line) as WatchEvent);
      this.#wake();
    });
    // A connection that breaks is an end like any other to whoever watches.
    this.#response.on('error', () => this.#over());
    this.#response.on('close', () => this.#over());
  }

  #over(): void {
    this.#hasEnded = true;
    this.#wake();
  }
}
