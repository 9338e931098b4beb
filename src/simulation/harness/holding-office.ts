import type { Message } from '../../runtime/post-office.ts';
import { PostOffice } from '../../runtime/post-office.ts';

interface Held {
  readonly from: string;
  readonly to: string;
  readonly message: Message;
}

/** The runtime's own post office; what a contender says can be kept back until the world lets it through. */
export class HoldingOffice extends PostOffice {
  readonly #held: Held[] = [];
  #isHolding = false;

  /** What the contender has said and the leadership has not heard, oldest first. */
  get held(): readonly Message[] {
    return this.#held.map(({ message }) => message);
  }

  keepBack(): void {
    this.#isHolding = true;
  }

  override post(from: string, to: string, message: Message): void {
    if (this.#isHolding && from.startsWith('contender:')) this.#held.push({ from, to, message });
    else super.post(from, to, message);
  }

  /** Delivers the oldest; the order in which a contender speaks is kept. */
  deliverNext(): void {
    const next = this.#held.shift();
    if (next !== undefined) super.post(next.from, next.to, next.message);
  }

  letThrough(): void {
    this.#isHolding = false;
    while (this.#held.length > 0) this.deliverNext();
  }
}
