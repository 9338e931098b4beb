/** What a contender must do, by name: each is checked in every world, and each can be broken. */
export const CONTENDER_RULES = {
  confirms: 'A contender that leads calls session.confirm({ address }): until then nobody sees it lead.',
  'confirms-an-address':
    'session.confirm() takes an address that is a text and not empty, and metadata whose values are texts.',
  'confirms-once':
    'One confirmation of an address is enough for a session: Tenure writes it again by itself whenever that is needed.',
  'confirms-current-session-only': 'session.confirm() is not called once that session is over: it is refused.',
  'handles-rejected-confirm':
    'A contender whose confirmation was rejected ends or confirms something else: else it leads and nobody ever sees it.',
  'leads-until-told':
    'A contender returns only after its signal has aborted: to return before that resigns, for good in this process.',
  'does-not-throw':
    'A contender throws only when it cannot go on: it loses its leadership and rests before it stands again.',
  'stops-when-revoked': 'A contender settles within the stop bound after its signal has aborted.',
  'stops-without-throwing': 'A contender that is told to stop ends normally, or by the error of its signal.',
  'settles-on-close': 'A contender settles within the stop bound after its component was asked to close.',
  'no-work-after-stop': 'Nothing that only a leader may do is begun after the signal has aborted.',
  'one-session-at-a-time': 'The work of a session has ended when the contender of the next session begins.',
  'leads-again': 'A contender does in every session what it did in the first one: it is called once for each grant.',
  'leaves-no-timer': 'No timer of a contender is left when its function has settled.',
  'listeners-do-not-throw': 'A callback given to session.onSuspension() does not throw.',
} as const;

export type ContenderRule = keyof typeof CONTENDER_RULES;

/** One rule that a contender broke: when, and what was seen. */
export interface BrokenRule {
  readonly rule: ContenderRule;
  /** Milliseconds since the world began. */
  readonly atMs: number;
  readonly sessionId: string | null;
  readonly seen: string;
}

/** A contender broke one or more rules. The message tells what was seen, what the rule is, and what had happened. */
export class ContenderRulesBroken extends Error {
  override readonly name = 'ContenderRulesBroken';
  readonly broken: readonly BrokenRule[];

  constructor(broken: readonly BrokenRule[], story: readonly string[]) {
    const count = broken.length === 1 ? 'a rule' : `${broken.length} rules`;
    const lines = broken.flatMap(({ rule, seen, atMs }) => [
      `  ${rule}: ${seen} (at ${secondsText(atMs)})`,
      `    ${CONTENDER_RULES[rule]}`,
    ]);
    super(
      [`Your contender breaks ${count}:`, ...lines, 'What happened:', ...story.map((line) => `  ${line}`)].join('\n'),
    );
    this.broken = broken;
  }
}

export function secondsText(ms: number): string {
  return `${(ms / 1_000).toFixed(3)} s`;
}
