/** What a backend says of itself. A law that needs more than is declared is skipped, and its title says why. */
export interface Capabilities {
  /** The value of `OpenBackend.protection`. `none`: every acquisition and renewal is committed, so nothing is locked. */
  readonly protection: 'lease' | 'none';
  /** What was written is still there after every handle has been closed. */
  readonly survivesReopen?: boolean;
  /** A reading since a version, and a watch after its first report, bring only what has changed. */
  readonly differences?: boolean;
  /** The store under test has `interrupt`. */
  readonly interrupt?: boolean;
  /** The store under test has `removeLease`. */
  readonly removeLease?: boolean;
  /** The store under test has `foreign`. */
  readonly foreign?: boolean;
  /** The store under test has `tooLargeCharacters`. */
  readonly sizeLimit?: boolean;
  /** The store under test has `unusable`. */
  readonly failingOpen?: boolean;
}

export type Need = 'lock' | Exclude<keyof Capabilities, 'protection'>;

const MISSING: Readonly<Record<Need, string>> = {
  lock: "protection is 'none'",
  survivesReopen: 'survivesReopen is not declared',
  differences: 'differences is not declared',
  interrupt: 'interrupt is not declared',
  removeLease: 'removeLease is not declared',
  foreign: 'foreign is not declared',
  sizeLimit: 'sizeLimit is not declared',
  failingOpen: 'failingOpen is not declared',
};

export const CAPABILITY_NAMES: readonly string[] = ['protection', ...Object.keys(MISSING).filter((n) => n !== 'lock')];

/** Why a law with this need cannot be tried; null when it can. */
export function missing(need: Need | undefined, declared: Capabilities): string | null {
  if (need === undefined) return null;
  const has = need === 'lock' ? declared.protection === 'lease' : declared[need] === true;
  return has ? null : MISSING[need];
}
