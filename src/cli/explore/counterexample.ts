import type { Told, ToldDelivery } from '../../simulation/explorer/index.ts';
import { type Cell, columns } from '../text/columns.ts';
import type { Paint } from '../text/paint.ts';
import { messageText, storeText } from './messages.ts';

/** Names of participants, in the order in which the explorer numbers them. */
export const participantName = (at: number): string => String.fromCharCode('A'.charCodeAt(0) + at);

const ACTOR = /^(election|driver|validity|register|leadership:|contender:)/;
const QUIET = ['timer.set', 'timer.cancel', 'confirm.settled'];
const NOTHING: Cell = { text: '' };
const MARK = '← here';

/**
 * The way to a violation, a numbered step a block: what happened, what the store holds anew, and the messages that did
 * something. Messages without an effect are left to the recording.
 */
export function counterexampleLines(told: readonly Told[], paint: Paint, screen: number | null): string[] {
  const blocks = told.map((step, at) => block(step, told[at - 1]?.store ?? null));
  const last = blocks.at(-1) ?? [];
  // What a write did to the store comes first in its block, and it is what was wrong.
  const wrong = last[0]?.[1] === NOTHING ? last[0] : last.at(-1);
  const marked = blocks.flat().map((row) => (row === wrong ? markedRow(row, paint) : row));
  const shown = columns(marked, { screen, indent: 10, flexible: [3, 4] });
  let next = 0;
  return told.flatMap((step, at) => {
    const rows = shown.slice(next, next + (blocks[at]?.length ?? 0));
    next += rows.length;
    const who = step.who < 0 ? '' : `${participantName(step.who)}  `;
    const isLast = at === told.length - 1 && rows.length === 0;
    const head = `${who}${step.label}${isLast ? `   ${MARK}` : ''}`;
    return [`  ${String(at + 1).padStart(4)}  ${paint('strong', head)}`, ...rows];
  });
}

type Row = readonly Cell[];

function block({ deliveries, store }: Told, before: Told['store'] | null): Row[] {
  const rows = deliveries.flatMap((delivery): Row[] => {
    const change = changeText(delivery);
    if (change === null) return [];
    const { participant, from, to } = delivery;
    return [
      [
        { text: placed(participant, from) },
        { text: '→' },
        { text: placed(participant, to) },
        { text: messageText(delivery) },
        { text: change },
      ],
    ];
  });
  const stored = storeText(before, store);
  return stored === '' ? rows : [[{ text: 'store' }, NOTHING, NOTHING, { text: stored }], ...rows];
}

/** `A.leadership:c0`; what is outside of the participants has no name before it. */
const placed = (participant: number, address: string): string =>
  ACTOR.test(address) ? `${participantName(participant)}.${address}` : address;

/** `standby → grant-pending`, or what an actor that stayed where it was did; `null` where nothing came of it. */
function changeText({ to, message, before, after, commands }: ToldDelivery): string | null {
  if (before !== after) return `${before} → ${after}`;
  if (to === 'store' && !message.type.endsWith('.read')) return '';
  const says = commands.filter((command) => !QUIET.includes(command));
  if (says.length === 0 || before === '') return null;
  return `${before}: ${says.join(', ')}`;
}

function markedRow(row: Row, paint: Paint): Row {
  const [from = NOTHING, arrow = NOTHING, to = NOTHING, message = NOTHING, change = NOTHING] = row;
  return [from, arrow, to, message, change, { text: MARK, paint: (text) => paint('bad', text) }];
}
