import type { TraceLine } from '../ports/trace.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
const IDENTITY = new RegExp(`([\\w.-]+)-${UUID.source}`, 'g');
const SESSION = new RegExp(UUID.source, 'g');

const WIDTHS = { time: 8, participant: 6, route: 36, event: 19, state: 42 };

/**
 * Trace lines as text, in fixed columns: time, participant, from → to, event, what it did, details. Sessions are called
 * s1, s2, … in the order of their first appearance, so that the same story always reads the same.
 */
export class TraceText {
  readonly #sessions = new Map<string, string>();

  line(line: TraceLine): string {
    const columns = [
      seconds(line.t).padStart(WIDTHS.time),
      this.tidy(line.participant ?? '').padEnd(WIDTHS.participant),
      `${line.from} → ${line.to}`.padEnd(WIDTHS.route),
      line.event.padEnd(WIDTHS.event),
      stepText(line).padEnd(WIDTHS.state),
      this.#detail(line),
    ];
    return columns.join('  ').trimEnd();
  }

  /** A line that is not a delivered message, in the same columns. */
  note(t: number, participant: string, text: string): string {
    return `${seconds(t).padStart(WIDTHS.time)}  ${participant.padEnd(WIDTHS.participant)}  · ${this.tidy(text)}`;
  }

  /** The short name of a session. */
  session(id: string): string {
    if (!UUID.test(id)) return id;
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    const name = `s${this.#sessions.size + 1}`;
    this.#sessions.set(id, name);
    return name;
  }

  /** The session that goes by this short name; the text itself where none does. */
  sessionCalled(name: string): string {
    for (const [id, short] of this.#sessions) if (short === name) return id;
    return name;
  }

  /** Text with identities cut to their names and session ids to theirs. */
  tidy(text: string): string {
    return text.replace(IDENTITY, '$1').replace(SESSION, (id) => this.session(id));
  }

  #detail(line: TraceLine): string {
    const parts = [
      line.session === null || line.session === '' ? '' : this.session(line.session),
      line.token === null ? '' : `token ${line.token}`,
      line.attempt === null ? '' : `attempt ${line.attempt}`,
      this.tidy(line.detail),
      worldText(line, (text) => this.tidy(text)),
    ];
    return parts.filter((part) => part !== '').join(' ');
  }
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

function stepText({ step, delivery }: TraceLine): string {
  if (step === undefined) return delivery === 'dropped' ? '(nobody there)' : '';
  if (step.verdict === 'moved') return `${step.before} → ${afterText(step.before, step.after)}`;
  return `${step.before} (${step.verdict})`;
}

/** `.publishing` for a move within the same state. */
function afterText(before: string, after: string): string {
  const [state = ''] = before.split('.');
  return after.startsWith(`${state}.`) ? after.slice(state.length) : after;
}

function worldText({ world }: TraceLine, tidy: (text: string) => string): string {
  if (world?.lease !== undefined) {
    const { holder = '', status = '', version = '' } = world.lease;
    if (holder === null || holder === '') return `${status}`;
    return `held by ${tidy(String(holder))} v${version}`;
  }
  if (world?.register === undefined) return '';
  const entries = Object.entries(world.register.entries).map(([component, entry]) =>
    entry === null ? `${component} gone` : `${component}=${entry.address}`,
  );
  return [`v${world.register.version}`, ...entries].join(' ');
}
