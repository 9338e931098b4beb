import type { LeadershipCommand } from '../../../machines/leadership-messages.ts';
import type { LeaderInformation } from '../../../machines/vocabulary.ts';
import type { PostOffice, Recipient } from '../../runtime/post-office.ts';

type StoreCommand = Extract<LeadershipCommand, { to: 'register' }>;
type Write = Exclude<StoreCommand, { type: 'register.read-back' }>;

/**
 * How the store answers a write. `committed`: written. `failed`: not written, and tried again by itself. `lost`: written,
 * but nobody hears of it until it is read back. `dead`: not written, and nobody knows until it is read back. `rejected`:
 * the store will never take this address. `fenced`: a newer session has been there. `held`: no answer before `release()`.
 */
export type StoreAnswer = 'committed' | 'failed' | 'lost' | 'dead' | 'rejected' | 'fenced' | 'held';

/** The register of one component, as its leadership sees it: every write gets the answer that the test has set. */
export class HandStore implements Recipient {
  readonly #office: PostOffice;
  readonly #component: string;
  readonly #say: (line: string) => void;
  readonly #held: Write[] = [];
  readonly #doubtful = new Map<number, 'committed' | 'dead'>();
  #answers: StoreAnswer[] = [];
  #open: StoreCommand[] = [];
  #entry: LeaderInformation | null = null;
  #version = 0n;
  #byHand = false;

  constructor(office: PostOffice, component: string, say: (line: string) => void) {
    this.#office = office;
    this.#component = component;
    this.#say = say;
  }

  /** What followers would read now. */
  get entry(): LeaderInformation | null {
    return this.#entry;
  }

  /** How the next writes are answered, one after the other; those after them are committed. */
  next(...answers: readonly StoreAnswer[]): void {
    this.#answers.push(...answers);
  }

  /** Answers what was held. */
  release(answer: Exclude<StoreAnswer, 'held'> = 'committed'): void {
    for (const write of this.#held.splice(0)) this.#answer(write, answer);
  }

  /** Somebody deletes the entry by hand. */
  remove(): void {
    this.#say('somebody deletes the entry');
    this.#change(null);
  }

  /** Somebody else's entry appears. Token 0 is older than any session here. */
  replace(entry: { readonly address: string; readonly fencingToken?: bigint; readonly sessionId?: string }): void {
    const { address, fencingToken = 0n, sessionId = 'somebody-else' } = entry;
    this.#say(`an entry of ${sessionId} appears, token ${fencingToken}`);
    this.#change({ sessionId, fencingToken, address, metadata: {} });
  }

  /** From now on nothing is answered before the hand does it. */
  keepBack(): void {
    this.#byHand = true;
  }

  /** The hand has given the final answer to this write. */
  answered(attempt: number): void {
    this.#open = this.#open.filter((command) => command.attempt !== attempt);
  }

  /** Goes on from the version that the hand has come to, and answers whatever the leadership still waits for. */
  letThrough(version: bigint): void {
    this.#byHand = false;
    this.#version = version;
    for (const command of this.#open.splice(0)) this.deliver(command);
  }

  deliver(command: StoreCommand): void {
    if (this.#byHand) this.#open.push(command);
    else if (command.type === 'register.read-back') this.#readBack(command.sessionId, command.attempt);
    else this.#answer(command, this.#answers.shift() ?? 'committed');
  }

  #answer(write: Write, answer: StoreAnswer): void {
    const { attempt } = write;
    const sessionId = write.type === 'register.publish' ? write.entry.sessionId : write.sessionId;
    const what = write.type === 'register.publish' ? 'publish' : 'withdraw';
    this.#say(`store: ${what} ${answer} (${sessionId})`);
    if (answer === 'held') {
      this.#held.push(write);
    } else if (write.type === 'register.withdraw') {
      // A deletion whose outcome is not known is simply tried again: it compares the session.
      const outcome = answer === 'committed' || answer === 'fenced' ? answer : 'failed';
      if (outcome === 'committed' && this.#entry?.sessionId === sessionId) this.#apply(null);
      this.#tell({ type: `withdraw.${outcome}`, sessionId, attempt });
    } else if (answer === 'lost' || answer === 'dead') {
      if (answer === 'lost') this.#apply(write.entry);
      this.#doubtful.set(attempt, answer === 'lost' ? 'committed' : 'dead');
      this.#tell({ type: 'publish.unknown', sessionId, attempt });
    } else {
      if (answer === 'committed') this.#apply(write.entry);
      this.#tell({ type: `publish.${answer}`, sessionId, attempt, version: this.#version });
    }
  }

  #readBack(sessionId: string, attempt: number): void {
    const outcome = this.#doubtful.get(attempt) ?? 'dead';
    this.#say(`store: read back, ${outcome === 'committed' ? 'the entry is there' : 'it was never written'}`);
    this.#tell({ type: `publish.${outcome}`, sessionId, attempt, version: this.#version });
  }

  #apply(entry: LeaderInformation | null): void {
    this.#version += 1n;
    this.#entry = entry;
  }

  #change(entry: LeaderInformation | null): void {
    this.#apply(entry);
    this.#tell({ type: 'register.changed', version: this.#version, entry });
  }

  #tell(message: { readonly type: string; readonly [field: string]: unknown }): void {
    this.#office.post('register', `leadership:${this.#component}`, message);
  }
}
