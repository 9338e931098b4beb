import type { Backend } from '../../ports/backend.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Engine } from '../../runtime/engine.ts';
import type { Book } from './book.ts';
import type { Checks } from './checks.ts';
import type { SimulatedContender } from './contender.ts';
import type { Parameters } from './parameters.ts';
import type { Server } from './server.ts';

/** Ways to break the world on purpose: a test shows with them that each check can fail. */
export interface Tamper {
  readonly server?: (server: Server) => void;
  /** What a participant is opened with instead of its own backend. */
  readonly backend?: (own: Backend) => Backend;
  readonly opened?: (engine: Engine, participant: string) => void;
}

/** What everybody in a world has in common. */
export interface Stage {
  readonly parameters: Parameters;
  readonly clock: Clock;
  readonly server: Server;
  readonly book: Book;
  readonly checks: Checks;
  /** Aborts when all faults are over. */
  readonly calm: AbortController;
  /** A contender on trial; `null`: the simulator's own. */
  readonly contender: SimulatedContender | null;
  readonly tamper: Tamper;
}
