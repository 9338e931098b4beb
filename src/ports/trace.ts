/** One delivered message, in the shape that inspector, scenarios, simulator and command line share. */
export interface TraceLine {
  readonly v: 1;
  readonly seq: number;
  /** Milliseconds since the recording began, monotonic. */
  readonly t: number;
  /** Wall-clock ISO time, for display only. */
  readonly at: string;
  readonly from: string;
  readonly to: string;
  readonly kind: 'start' | 'command' | 'event' | 'answer' | 'timer';
  readonly event: string;
  readonly session: string | null;
  /** Fencing token as text (JSON has no bigint). */
  readonly token: string | null;
  readonly attempt: number | null;
  /** Version of the register that the message is about, as text: what a replay needs to judge change events by. */
  readonly version?: string;
  /** `seq` of the message whose handling caused this one. */
  readonly cause: number | null;
  readonly delivery: 'delivered' | 'dropped' | 'late' | 'unknown';
  readonly detail: string;
  /** Only on lines that an actor handled. */
  readonly step?: TraceStep;
  /** Changed fields of the store, as far as this participant knows them. */
  readonly world?: TraceWorld;
  readonly finding?: readonly ['note' | 'warning' | 'broken', string, string];
  /** Who recorded the line; set where several participants share one recording. */
  readonly participant?: string;
}

export interface TraceStep {
  readonly before: string;
  readonly after: string;
  readonly edges: readonly string[];
  readonly verdict: 'moved' | 'noted' | 'ignored' | 'stale' | 'undeclared';
  readonly reason: string;
  readonly commands: readonly string[];
}

export interface TraceWorld {
  readonly lease?: Readonly<Record<string, string | number | null>>;
  readonly register?: {
    readonly version: string;
    readonly fence: { readonly fencingToken: string; readonly sessionId: string } | null;
    readonly entries: Readonly<Record<string, TraceEntry | null>>;
  };
}

export interface TraceEntry {
  readonly sessionId: string;
  readonly fencingToken: string;
  readonly address: string;
  readonly writtenAt: string;
}

/** Receives every line. Must not throw; must not be slow. */
export interface TraceSink {
  record(line: TraceLine): void;
}
