import stringWidth from 'string-width';
import { type LeaseStanding, leaseStanding } from '../backends/reading.ts';
import { type Cell, columns } from '../text/columns.ts';
import { span } from '../text/durations.ts';
import { GLYPHS, MARK_STYLES, type Mark } from '../text/glyphs.ts';
import type { Paint } from '../text/paint.ts';
import { participantName } from '../text/participant.ts';
import { visible } from '../text/visible.ts';
import type { ComponentStatus, StatusFinding, StatusReport } from './report.ts';

const NOTHING = '–';

/** What `tenure status` prints. */
export function statusLines(report: StatusReport, paint: Paint, screen: number | null): string[] {
  const standing = leaseStanding(report.lease, report.at, report.protection);
  const table = componentTable(report, standing, paint, screen);
  const foot = footOf(standing);
  return [
    `${paint('strong', report.election)}  on ${visible(report.place)}, ${verdict(standing, paint)}`,
    '',
    ...table,
    ...(foot === null ? [] : ['', paint('dim', `  ${foot}`)]),
    ...findingLines(report.findings, paint),
  ];
}

function verdict(standing: LeaseStanding, paint: Paint): string {
  switch (standing.kind) {
    case 'never':
      return 'nobody leads; it was never held';
    case 'free':
      return `nobody leads; the last token was ${standing.lastToken}`;
    case 'ran-out':
      return `nobody leads; ${paint('bad', `${GLYPHS.lost} lost`)} by ${participantName(standing.record.holder)}, token ${standing.record.fencingToken}`;
    case 'held':
      return `held ${span(standing.heldMs)} by ${participantName(standing.record.holder)}, token ${standing.record.fencingToken}`;
  }
}

function componentTable(report: StatusReport, standing: LeaseStanding, paint: Paint, screen: number | null): string[] {
  if (report.components.length === 0) return [paint('dim', '  no component is confirmed')];
  const dim = (text: string): Cell => ({ text, paint: (shown) => paint('dim', shown) });
  const heads = ['component', 'leader', 'token', 'address', 'state'].map(dim);
  const rows = report.components.map((component) => componentRow(component, standing, paint));
  return columns([heads, ...rows], { screen, indent: 2, flexible: [0, 1, 3] });
}

function componentRow(component: ComponentStatus, standing: LeaseStanding, paint: Paint): Cell[] {
  const confirmed = component.state === 'confirmed';
  const leader = confirmed && standing.kind === 'held' ? participantName(standing.record.holder) : NOTHING;
  const mark: Mark = confirmed ? 'confirmed' : component.state === 'superseded' ? 'pending' : 'lost';
  return [
    { text: visible(component.component) },
    { text: leader },
    { text: String(component.fencingToken) },
    { text: visible(component.address) },
    { text: `${GLYPHS[mark]} ${words(component, standing)}`, paint: (text) => paint(MARK_STYLES[mark], text) },
  ];
}

function words(component: ComponentStatus, standing: LeaseStanding): string {
  if (component.state === 'confirmed') return 'confirmed';
  if (component.state === 'left-behind') return 'left behind, nobody leads';
  const token = standing.kind === 'held' ? ` ${standing.record.fencingToken}` : '';
  return `superseded by token${token}, not confirmed yet`;
}

function footOf(standing: LeaseStanding): string | null {
  if (standing.kind === 'ran-out') return `lease ran out ${span(standing.sinceMs)} ago`;
  if (standing.kind !== 'held' || standing.leftMs === null) return null;
  const { record, leftMs } = standing;
  return `lease renewed ${span(record.durationMs - leftMs)} ago, runs out in ${span(leftMs)}`;
}

/** `!` first, the code in brackets behind the longest of them, so that all codes stand in one column. */
export function findingLines(findings: readonly StatusFinding[], paint: Paint): string[] {
  const texts = findings.map(({ component, detail }) =>
    component === null ? detail : `${visible(component)}: ${detail}`,
  );
  const edge = Math.max(0, ...texts.map((text) => stringWidth(text)));
  return findings.map(({ code }, index) => {
    const text = texts[index] ?? '';
    const gap = ' '.repeat(edge - stringWidth(text) + 2);
    return `${paint('pending', GLYPHS.finding)} ${text}${gap}${paint('dim', `[${code}]`)}`;
  });
}
