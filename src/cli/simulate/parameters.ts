import type { Parameters } from '../../simulation/simulator/parameters.ts';
import { columns } from '../text/columns.ts';
import { sinceStart } from '../text/durations.ts';
import { wrap } from '../text/wrap.ts';

const HEAD = 16;

/** What a seed has decided, before anything happens. */
export function parameterLines(parameters: Parameters, actions: number, screen: number | null): string[] {
  const { timing, latencyMs, rates, following } = parameters;
  const followers = parameters.participants.filter((_, at) => following[at] === true);
  const drift = Math.max(...rates.map((rate) => Math.abs(rate - 1)));
  const rows: readonly (readonly [string, string])[] = [
    ['participants', `${parameters.participants.join(', ')}, and one that only follows`],
    ['also follow', followers.length === 0 ? 'none of them' : followers.join(', ')],
    ['components', parameters.components.join(', ')],
    ['lease', `${timing.leaseDurationMs} ms, renewed every ${timing.renewMs} ms, margin ${timing.marginMs} ms`],
    ['calls', `time-out ${timing.callTimeoutMs} ms, one way ${latencyMs.least} to ${latencyMs.most.toFixed(0)} ms`],
    ['contenders', `may take ${timing.stopBoundMs} ms to stop, rest ${timing.restMs} ms after a failure`],
    ['clocks', drift === 0 ? 'in step' : `rates differ from true by up to ${(drift * 100).toFixed(2)} %`],
    ['revisions', parameters.revisions === 'own' ? 'lease and register count for themselves' : 'one count for all'],
    ['happenings', `${parameters.happenings.join(', ')}: ${actions} in all`],
  ];
  const width = screen === null ? 10_000 : Math.max(30, screen - HEAD);
  const cells = rows.flatMap(([name, text]) =>
    wrap(text, width).map((line, at) => [{ text: at === 0 ? name : '' }, { text: line }]),
  );
  return columns(cells, { screen: null, indent: 2 });
}

/** When which phase was over. */
export function phaseLines(run: {
  readonly calmAtMs: number;
  readonly endedAtMs: number;
  readonly recoveryMs: number | null;
  readonly failovers: number;
}): string[] {
  const { calmAtMs, endedAtMs, recoveryMs, failovers } = run;
  const well = recoveryMs === null ? 'never well again' : `well again after ${sinceStart(recoveryMs)}`;
  return columns(
    [
      [{ text: 'safety' }, { text: `faults until ${sinceStart(calmAtMs)}, ${failovers} fail-overs in all` }],
      [{ text: 'liveness' }, { text: `${well}, closed at ${sinceStart(endedAtMs)}` }],
    ],
    { screen: null, indent: 2 },
  );
}
