export interface QueuedTimer {
  readonly atMs: number;
  readonly fire: () => void;
}

interface Slot extends QueuedTimer {
  readonly order: number;
  waits: boolean;
}

/**
 * Timers by due time, ties in the order of their setting: a binary heap. A cancelled one stays where it is until it
 * comes up, because most timers of an election are set anew long before they are due.
 */
export class TimerQueue {
  readonly #heap: Slot[] = [];
  #order = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(atMs: number, fire: () => void): QueuedTimer {
    const slot: Slot = { atMs, fire, order: this.#order++, waits: true };
    this.#size += 1;
    this.#rise(slot);
    return slot;
  }

  /** Idempotent; also for a timer that has been taken out to run. */
  cancel(timer: QueuedTimer): void {
    const slot = timer as Slot;
    if (!slot.waits) return;
    slot.waits = false;
    this.#size -= 1;
  }

  first(): QueuedTimer | null {
    for (let top = this.#heap[0]; top !== undefined; top = this.#heap[0]) {
      if (top.waits) return top;
      this.#removeTop();
    }
    return null;
  }

  #rise(slot: Slot): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(slot);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above] as Slot;
      if (!isBefore(slot, parent)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = slot;
  }

  #removeTop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (let below = 1; below < heap.length; below = 2 * at + 1) {
      const right = heap[below + 1];
      if (right !== undefined && isBefore(right, heap[below] as Slot)) below += 1;
      const child = heap[below] as Slot;
      if (!isBefore(child, last)) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = last;
  }
}

function isBefore(a: Slot, b: Slot): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
