/** Randomness, as the only door to it, so that a seed decides a whole simulated run. */
export interface Random {
  /** A random (version 4) UUID. */
  uuid(): string;
  /** A number in [0, 1). `stream` names who draws, so that one more draw in one place does not shift all others. */
  next(stream: string): number;
}
