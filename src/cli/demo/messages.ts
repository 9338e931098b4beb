import type { TraceLine } from '../../ports/trace.ts';

export type DemoComponent = 'restserver' | 'dispatcher';
export const DEMO_COMPONENTS: readonly DemoComponent[] = ['restserver', 'dispatcher'];

export const DEMO_TIMING = { leaseDurationMs: 3_000, renewMs: 500, callTimeoutMs: 500, marginMs: 1_000 };

/** What the demo tells one of its participants. */
export type ToWorker = { readonly kind: 'stand' } | { readonly kind: 'step-down' } | { readonly kind: 'close' };

/** `ns` is CLOCK_MONOTONIC, which all processes of one machine share; as text, because JSON has no bigint. */
export type FromWorker = { readonly ns: string } & (
  | { readonly kind: 'ready'; readonly identity: string }
  | { readonly kind: 'began'; readonly component: DemoComponent; readonly sessionId: string; readonly token: string }
  | { readonly kind: 'publishing'; readonly component: DemoComponent; readonly address: string }
  | { readonly kind: 'ended'; readonly component: DemoComponent; readonly sessionId: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'trace'; readonly line: TraceLine }
);
