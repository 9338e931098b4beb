/**
 * The catalogue of every error that Tenure hands to a user. README's table and `test/tidy` are held to this list.
 *
 * `outcome` answers the question an operator asks first: `not-done` means nothing was changed, `unknown` means the
 * effect may or may not have happened and somebody must look.
 */
export const ERROR_CATALOGUE = {
  'invalid-options': 'One or more options break a rule; all violations are listed and nothing was started.',
  'invalid-command-line': 'The command line, the TENURE_* variables or the configuration file cannot be understood.',
  'component-taken': 'A contender is already registered for this component in this process; it was left untouched.',
  'session-over': 'The leadership session has ended; whatever was asked for it was not done.',
  'not-leading': 'This participant does not lead the election, so there is nothing to step down from.',
  closed: 'The tenure or the component has been closed.',
  fenced: 'A newer leadership session has written its fence; writes of this session are refused from now on.',
  'token-not-above-fence':
    'The fencing token of a grant is not above the fence in the register: the store has gone back in time.',
  'publish-rejected': 'The backend will never accept this leader information (too large or not representable).',
  'contender-failed': 'The contender function threw or rejected; the component resigned and stands again later.',
  'listener-failed': 'A callback given to onSuspension threw; everything else went on.',
  'contender-overstayed': 'The contender function had not settled when its stop bound ran out.',
  'withdraw-incomplete': 'The entry of a component that left could not be deleted within the bound.',
  'actor-failed': 'An actor broke an invariant; its leadership was given up and a fresh actor stands by.',
  'undeclared-message':
    'A message reached an actor in a state that declares neither a transition nor an ignore for it.',
  'backend-unavailable': 'The backend cannot be reached or did not answer in time.',
  'store-unusable': 'The store exists but cannot be used: corrupt, not a database, or of another layout.',
  'store-read-only': 'The store can be read but not written by this process.',
  'driver-missing': 'The client library of this backend is not installed.',
  'consent-missing': 'A backend without protection against a second leader needs explicit consent.',
  'command-failed': 'The command of `tenure run` could not be started.',
} as const;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

export type ErrorOutcome = 'not-done' | 'unknown';

export interface TenureErrorDetails {
  /** The component concerned, when there is one. */
  readonly component?: string | undefined;
  /** Whether the effect that was asked for may have happened. Default `not-done`. */
  readonly outcome?: ErrorOutcome | undefined;
  /** What Tenure does next, in one sentence. */
  readonly next?: string | undefined;
  readonly cause?: unknown;
}

const BRAND = Symbol.for('tenure.error');

/** Every failure that reaches a user. Match on `code`, never on the message. */
export class TenureError extends Error {
  override readonly name: string = 'TenureError';
  readonly code: ErrorCode;
  readonly component: string | undefined;
  readonly outcome: ErrorOutcome;
  readonly next: string | undefined;
  readonly [BRAND] = true;

  constructor(code: ErrorCode, message: string, details: TenureErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.component = details.component;
    this.outcome = details.outcome ?? 'not-done';
    this.next = details.next;
  }

  /** True across duplicate copies of the package, where a plain prototype check would fail. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
  }
}

/** One broken rule: which field, what was received, what the rule is. */
export interface Violation {
  readonly field: string;
  readonly received: unknown;
  readonly rule: string;
}

/** All violations of a set of options at once. */
export class InvalidOptionsError extends TenureError {
  override readonly name = 'InvalidOptionsError';
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    const lines = violations.map((v) => `  ${v.field}: received ${describe(v.received)}; ${v.rule}`);
    const count = violations.length === 1 ? 'One option is' : `${violations.length} options are`;
    super('invalid-options', `${count} not valid:\n${lines.join('\n')}`, { next: 'Nothing was started.' });
    this.violations = violations;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof TenureError && 'violations' in (value as object);
  }
}

/** A value as it should stand in a message: short, quoted, never throwing. */
export function describe(value: unknown): string {
  if (typeof value === 'string') {
    const shown = value.length > 60 ? `${value.slice(0, 40)}… (${value.length} characters)` : value;
    return JSON.stringify(shown);
  }
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  if (value === null || typeof value !== 'object') return String(value);
  return Array.isArray(value)
    ? `an array of ${value.length}`
    : `an object (${value.constructor?.name ?? 'no prototype'})`;
}

/** Wraps whatever was thrown; a TenureError passes through unchanged. */
export function toTenureError(thrown: unknown, code: ErrorCode, details: TenureErrorDetails = {}): TenureError {
  if (thrown instanceof TenureError) return thrown;
  const message = thrown instanceof Error ? thrown.message : describe(thrown);
  return new TenureError(code, message, { ...details, cause: thrown });
}
