import type { Api } from '../api/api.ts';

export interface CallFilter {
  /** As the server counts them: GET, LIST, POST, PUT, PATCH, DELETE, WATCH. */
  readonly verb?: string;
  readonly resource?: string;
  readonly group?: string;
  readonly code?: string;
}

interface Counted {
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
}

/**
 * The API server's own count of calls, `apiserver_request_total`. The suite's server renews no Lease of its own, so all
 * Lease calls are somebody's. A WATCH is counted when it ends.
 */
export class CallCounts {
  readonly #counted: readonly Counted[];

  private constructor(counted: readonly Counted[]) {
    this.#counted = counted;
  }

  static async read(api: Api): Promise<CallCounts> {
    const { status, body } = await api.call('GET', '/metrics');
    if (status !== 200 || typeof body !== 'string') throw new Error(`/metrics answered ${status}`);
    return CallCounts.parse(body);
  }

  static parse(text: string): CallCounts {
    const counted: Counted[] = [];
    for (const [, labels = '', count = ''] of text.matchAll(/^apiserver_request_total\{([^}]*)\} (\S+)$/gm)) {
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]);
      counted.push({ labels: Object.fromEntries(pairs), count: Number(count) });
    }
    return new CallCounts(counted);
  }

  count(filter: CallFilter): number {
    return this.#counted
      .filter(({ labels }) => Object.entries(filter).every(([name, value]) => labels[name] === value))
      .reduce((sum, { count }) => sum + count, 0);
  }
}
