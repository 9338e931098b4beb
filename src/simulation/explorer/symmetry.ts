import type { ContainerContext, ContainerOperation, Queued } from '../../../machines/container-messages.ts';
import type { Cell } from './cells.ts';
import type { Local } from './local.ts';
import type { ContainerCall, LeaseCall, Message, Shared } from './model.ts';
import { componentIndex, componentName, entryNews, FENCE_NEWS, LEADERSHIP, LEASE_NEWS, REGISTER } from './model.ts';
import type { Participants } from './participant.ts';
import type { Call, Note } from './parts.ts';

/** `order[i]` is the component that takes the place of component `i`. */
export type Order = readonly number[];

export function ordersOf(components: number): Order[] {
  if (components <= 1) return [[0]];
  return ordersOf(components - 1).flatMap((order) =>
    Array.from({ length: components }, (_, at) => [...order.slice(0, at), components - 1, ...order.slice(at)]),
  );
}

export const isIdentity = (order: Order): boolean => order.every((from, at) => from === at);

/** The same participant with its components in another order: which of them is called `c0` makes no difference. */
export function reorder(is: Participants, local: Local, order: Order): Local {
  const key = `P${order.join('')}`;
  const nameNow = (name: string): string => componentName(order.indexOf(componentIndex(name)));
  const cells = [...local.cells];
  if (cells.length > 0) {
    order.forEach((from, at) => {
      const cell = local.cells[LEADERSHIP + from] as Cell;
      cells[LEADERSHIP + at] = is.cells.derive(cell, `N${at}`, (context: object) => {
        return { ...context, component: componentName(at) };
      });
    });
    const register = cells[REGISTER] as Cell;
    cells[REGISTER] = is.cells.derive(register, key, (context) => reorderRegister(context, nameNow));
  }
  return {
    ...local,
    cells,
    timers: local.timers.map((timer) => {
      if (timer.owner < LEADERSHIP) return timer;
      const owner = LEADERSHIP + order.indexOf(timer.owner - LEADERSHIP);
      return is.parts.timer(owner, timer.name, timer.number, timer.dueIn);
    }),
    calls: local.calls.map((call) => reorderCall(is, call, key, nameNow)),
    contenders: order.map((from) => local.contenders[from] as Local['contenders'][number]),
    roster: order.reduce((bits, from, at) => bits | (((local.roster >> from) & 1) << at), 0),
    news: order.reduce(
      (bits, from, at) => ((local.news & entryNews(from)) === 0 ? bits : bits | entryNews(at)),
      local.news & (LEASE_NEWS | FENCE_NEWS),
    ),
  };
}

export const reorderShared = (shared: Shared, order: Order): Shared => {
  return { ...shared, entries: order.map((from) => shared.entries[from] as number) };
};

type Rename = (name: string) => string;

function reorderRegister(context: ContainerContext, nameNow: Rename): object {
  const one = (operation: ContainerOperation): ContainerOperation => {
    return { ...operation, component: nameNow(operation.component) };
  };
  const queue = (queued: Queued | null): Queued | null =>
    queued === null ? null : { operation: one(queued.operation), before: queue(queued.before) };
  return { ...context, batch: context.batch.map(one), queue: queue(context.queue) };
}

const renamePairs = <T>(pairs: Iterable<readonly [string, T]>, nameNow: Rename) =>
  [...pairs].map(([name, value]) => [nameNow(name), value] as const).sort(([a], [b]) => (a < b ? -1 : 1));

function reorderCall({ parts }: Participants, call: Call, key: string, nameNow: Rename): Call {
  const asked = call.request.call;
  if (asked.port === 'lease') return call;
  const rename = (request: LeaseCall | ContainerCall) => {
    const { puts, withdrawals, keys } = request as ContainerCall;
    return {
      ...(request as ContainerCall),
      puts: renamePairs(puts, nameNow),
      withdrawals: renamePairs(withdrawals, nameNow),
      keys: keys.map(nameNow).sort(),
    };
  };
  const renameAnswer = (message: Message): Message => {
    const { entries } = message as { readonly entries?: ReadonlyMap<string, unknown> };
    return entries === undefined
      ? message
      : ({ ...message, entries: new Map(renamePairs(entries, nameNow)) } as Message);
  };
  const answer: Note | null = call.answer && parts.noteFrom(call.answer, key, renameAnswer);
  return parts.call(call.state, parts.requestFrom(call.request, key, rename), call.sentAtMs, answer);
}
