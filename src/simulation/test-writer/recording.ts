import { leadershipEvents } from '../../../machines/leadership-messages.ts';
import { difference, type RecordedPart, type RecordedStep, Replay } from '../harness/replay.ts';
import type { StepEntry } from '../harness/walk-steps.ts';
import { type LineProblem, type NumberedLine, parseTrace } from './trace-lines.ts';

/** `differs`: where a counterexample shows a bug that the shipped machine does not have; the part ends there. */
export type ReadTrace =
  | { readonly parts: readonly RecordedPart[]; readonly differs: readonly LineProblem[] }
  | { readonly problems: readonly LineProblem[] };

/** What one leadership heard from its start to its end, or to the end of the recording. */
interface Life {
  readonly name: string;
  readonly lines: NumberedLine[];
}

/** Where the leadership is when it hears the line. */
interface Here {
  readonly sessionId: string | null;
  /** Confirmed in this session so far. */
  readonly addresses: readonly string[];
}

const UUID = /-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const MOST_PROBLEMS = 10;

/**
 * Turns a recording into parts that can be replayed, one for each leadership in it. The shipped machine is asked at once
 * whether it does the same: a recording that it cannot follow is a problem of the line at which they part.
 */
export function readRecordedTrace(text: string): ReadTrace {
  const { lines, problems } = parseTrace(text);
  if (problems.length > 0) return { problems: firstOf(problems) };
  const lives = livesOf(lines);
  if (lives.length === 0) return { problems: [{ line: 1, rule: 'no line in the file is a message to a leadership' }] };
  const reader = new Reader(lines);
  const read = lives.map((life) => reader.part(life));
  const broken = read.flatMap((part) => ('rule' in part ? [part] : []));
  if (broken.length > 0) return { problems: firstOf(broken) };
  return { parts: read.flatMap((part) => ('rule' in part ? [] : [part])), differs: reader.differs };
}

function firstOf(problems: readonly LineProblem[]): readonly LineProblem[] {
  if (problems.length <= MOST_PROBLEMS) return problems;
  const left = problems.length - MOST_PROBLEMS;
  const rule = `and ${left === 1 ? 'one more problem' : `${left} more problems`}, from here on`;
  return [...problems.slice(0, MOST_PROBLEMS), { line: problems[MOST_PROBLEMS]?.line ?? 0, rule }];
}

function livesOf(lines: readonly NumberedLine[]): readonly Life[] {
  const lives: Life[] = [];
  const current = new Map<string, Life>();
  for (const line of lines) {
    if (!line.to.startsWith('leadership:') || line.step === undefined) continue;
    const key = `${line.participant ?? ''} ${line.to}`;
    const last = current.get(key);
    if (last !== undefined && !beginsAnew(last, line)) {
      last.lines.push(line);
      continue;
    }
    const who = (line.participant ?? '').replace(UUID, '');
    const name = [who, line.to.slice('leadership:'.length)].filter((word) => word !== '').join(' ');
    const count = lives.filter((life) => life.name === name || life.name.startsWith(`${name} (`)).length;
    const life = { name: count === 0 ? name : `${name} (${count + 1})`, lines: [line] };
    lives.push(life);
    current.set(key, life);
  }
  return lives;
}

/** A component that was registered once more, or whose actor was replaced, begins where every leadership begins. */
function beginsAnew({ lines }: Life, { step }: NumberedLine): boolean {
  const now = lines.at(-1)?.step?.after;
  return now === 'closed' || (step?.before === 'standby' && now !== 'standby');
}

/** Reads what the lines leave out from the lines around them. */
class Reader {
  readonly #lines: readonly NumberedLine[];
  readonly #bySeq = new Map<string, NumberedLine>();
  readonly #says = new Map<string, string[]>();
  readonly #sessions = new Map<string, string>();
  readonly differs: LineProblem[] = [];
  /** It ends in a broken invariant: the machines that were recorded may have had a bug planted into them. */
  readonly #isCounterexample: boolean;

  constructor(lines: readonly NumberedLine[]) {
    this.#lines = lines;
    this.#isCounterexample = lines.some(({ finding }) => finding?.[0] === 'broken');
    for (const line of lines) {
      this.#bySeq.set(seqKey(line, line.seq), line);
      if (line.from.startsWith('leadership:') && line.cause !== null) {
        const key = seqKey(line, line.cause);
        this.#says.set(key, [...(this.#says.get(key) ?? []), line.event]);
      }
      if (line.session !== null && line.session !== '' && !this.#sessions.has(line.session)) {
        this.#sessions.set(line.session, `s${this.#sessions.size + 1}`);
      }
    }
  }

  /** With the failure policy under which the machine does what was recorded. */
  part(life: Life): RecordedPart | LineProblem {
    const first = this.#follow(life, 'stand-again');
    if (!('rule' in first)) return first;
    const second = this.#follow(life, 'resign');
    return 'rule' in second ? first : second;
  }

  #follow({ name, lines }: Life, onFailure: RecordedPart['onFailure']): RecordedPart | LineProblem {
    const replay = new Replay(onFailure);
    const [begins] = lines;
    if (begins !== undefined && begins.step?.before !== replay.state) {
      const rule = `${name} is in ${begins.step?.before} already: the recording must begin before the component is registered`;
      return { line: begins.line, rule };
    }
    const steps: RecordedStep[] = [];
    let addresses: readonly string[] = [];
    for (const [at, line] of lines.entries()) {
      if (!(leadershipEvents as readonly string[]).includes(line.event)) {
        return { line: line.line, rule: `event must be one that a leadership knows, received ${line.event}` };
      }
      if (line.step?.before !== replay.state) {
        const rule = `${name} is in ${line.step?.before} here, and was left in ${replay.state}: lines are missing`;
        return { line: line.line, rule };
      }
      if (line.event === 'contender.started') addresses = [];
      const readings = this.#readings(line, { sessionId: replay.sessionId, addresses }, at === lines.length - 1);
      const tried = readings.map((step) => ({ step, found: difference(step, replay.fork().step(step)) }));
      const fits = tried.find(({ found }) => found === null) ?? tried[0];
      if (fits === undefined || fits.found !== null) {
        const where = `${name} in ${line.step?.before}, at ${line.event}`;
        const problem = {
          line: line.line,
          rule: `${where}: this version of Tenure ${fits?.found ?? 'cannot read it'}`,
        };
        if (fits === undefined || !this.#isCounterexample) return problem;
        this.differs.push(problem);
        steps.push({ ...fits.step, ...replay.step(fits.step) });
        break;
      }
      replay.step(fits.step);
      steps.push(fits.step);
      if (line.event === 'contender.confirm') addresses = [...addresses, line.detail];
    }
    return { name, onFailure, steps };
  }

  /** Everything that the line may mean; more than one where the version of the register is not told. */
  #readings(line: NumberedLine, at: Here, isLast: boolean): readonly RecordedStep[] {
    const { event, step } = line;
    const says = this.#saysOf(line);
    const base: RecordedStep = {
      event: event as RecordedStep['event'],
      ...this.#fieldsOf(line, at),
      state: step?.after ?? '',
      line: line.line,
      verdict: step?.verdict ?? 'undeclared',
      says,
      ...(isLast ? { isLast } : {}),
    };
    if (event !== 'register.changed' && event !== 'publish.committed') return [base];
    return this.#versions(line).map((version) => ({ ...base, version }));
  }

  #fieldsOf(line: NumberedLine, at: Here): Partial<RecordedStep> {
    const { event, detail, attempt, token } = line;
    const session = line.session === null ? '' : (this.#sessions.get(line.session) ?? line.session);
    if (event === 'register.changed') return { entry: this.#entryOf(line, session, at.sessionId) };
    if (event === 'timer.elapsed') return { timer: this.#timerOf(detail) };
    if (event === 'close') return {};
    if (event === 'granted') return { session, token: token ?? '0' };
    if (event === 'revoked') return { session, reason: detail as NonNullable<RecordedStep['reason']> };
    if (event === 'contender.settled') return { session, outcome: detail === 'failed' ? 'failed' : 'returned' };
    if (event === 'contender.confirm') {
      const last = at.addresses.at(-1);
      return { session, confirms: detail, address: last === undefined ? 'first' : last === detail ? 'same' : 'other' };
    }
    return attempt === null ? { session } : { session, attempt };
  }

  #entryOf({ session, token, detail }: NumberedLine, name: string, current: string | null): StepEntry {
    if (session === null) return null;
    return name === current ? 'own' : { session: name, token: token ?? '0', address: detail };
  }

  #timerOf(id: string): string {
    const at = id.indexOf(':') + 1;
    return id.slice(0, at) + (this.#sessions.get(id.slice(at)) ?? id.slice(at));
  }

  /** `null`: the recording has no causes, so what was said cannot be told from it. */
  #saysOf(line: NumberedLine): readonly string[] | null {
    // A command may be told with its recipient behind it.
    const told = (line.step?.commands ?? []).flatMap((command) => command.split(' ')[0] ?? []);
    if (told.length > 0 && told[0] === 'undeliverable') told.shift();
    if (told.length > 0) return told;
    if (this.#says.size === 0) return null;
    return this.#says.get(seqKey(line, line.seq)) ?? [];
  }

  /** Told; or seen in the register at the time; or one more than was known. The likeliest first. */
  #versions(line: NumberedLine): readonly number[] {
    if (line.version !== undefined) return [Number(line.version)];
    const cause = line.cause === null ? undefined : this.#bySeq.get(seqKey(line, line.cause));
    const told = cause?.version ?? cause?.world?.register?.version;
    if (told !== undefined) return [Number(told)];
    const component = line.to.slice('leadership:'.length);
    const own = this.#lines.filter((one) => one.participant === line.participant && one.world?.register !== undefined);
    const shown = own.find((one) => one.world?.register?.entries[component]?.sessionId === line.session);
    const before = own.filter((one) => one.line < line.line).at(-1);
    const known = Number(before?.world?.register?.version ?? 0);
    return [...(shown === undefined ? [] : [Number(shown.world?.register?.version)]), known + 1, known];
  }
}

function seqKey({ participant = '' }: NumberedLine, seq: number): string {
  return `${participant} ${seq}`;
}
