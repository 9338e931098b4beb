import type { ApiRequest, Pattern } from './api-request.ts';
import type { Fault } from './faults.ts';

/** One fault for the requests of one pattern, until it has happened often enough or is ended. */
export class Rule {
  readonly pattern: Pattern;
  readonly fault: Fault;
  readonly hits: ApiRequest[] = [];
  #left: number;
  #waiting: (() => void)[] = [];
  #held: (() => void)[] = [];

  constructor(pattern: Pattern, fault: Fault, times: number) {
    this.pattern = pattern;
    this.fault = fault;
    this.#left = times;
  }

  get isOver(): boolean {
    return this.#left <= 0;
  }

  /** Resolves when it has met that many requests. */
  async met(count = 1): Promise<ApiRequest> {
    for (;;) {
      const request = this.hits[count - 1];
      if (request !== undefined) return request;
      await new Promise<void>((settle) => this.#waiting.push(settle));
    }
  }

  /** Lets go of all that is held now. What comes later is held again, unless the rule is ended. */
  release(): void {
    for (const settle of this.#held.splice(0)) settle();
  }

  /** From now on the requests pass; what is held goes on its way. */
  end(): void {
    this.#left = 0;
    this.release();
  }

  /** For the proxy: one request has met it. */
  meet(request: ApiRequest): void {
    this.#left--;
    this.hits.push(request);
    for (const settle of this.#waiting.splice(0)) settle();
  }

  /** For the proxy: waits for the release. */
  held(): Promise<void> {
    return new Promise((settle) => this.#held.push(settle));
  }
}
