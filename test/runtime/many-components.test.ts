import { describe, expect, it } from 'vitest';
import { Stage, settle } from './stage.ts';

/** Messages delivered for one changed entry, with that many components in the process. */
async function messagesForOneChange(components: number) {
  const stage = new Stage();
  const tenure = await stage.open();
  const ready = Array.from({ length: components }, (_, at) => {
    tenure.lead(`job-${at}`, async (session) => {
      await session.confirm({ address: `http://${at}` });
      await new Promise((resolve) => session.signal.addEventListener('abort', resolve));
    });
    return `job-${at}`;
  });
  await settle();
  const from = stage.trace.length;
  const { sessionId = '' } = tenure.state as { sessionId: string };
  const reading = await stage.register.read({ timeoutMs: 1, keys: [] });
  const version = reading.outcome === 'found' ? reading.state.version : 0n;
  const fence = { fencingToken: 1n, sessionId };
  const withdrawals = new Map([['job-5', sessionId]]);
  await stage.register.write({ expectedVersion: version, fence, puts: new Map(), withdrawals }, { timeoutMs: 1 });
  await settle();
  const entries = Object.keys(await stage.entries()).length;
  const messages = stage.trace.slice(from).map(({ to, event }) => `${to} ${event}`);
  return { messages, confirmed: entries === ready.length, tenure, stage };
}

describe('10,000 components in one process', () => {
  it('one changed entry costs the same messages as with 10', async () => {
    const few = await messagesForOneChange(10);
    const many = await messagesForOneChange(10_000);
    expect([few.confirmed, many.confirmed]).toEqual([true, true]);
    expect(many.messages).toEqual(few.messages);
    expect(few.messages).toContain('leadership:job-5 register.changed');
    expect(few.messages.length).toBeLessThan(20);
  });

  it('they are published in a handful of writes, not one each', async () => {
    const { stage } = await messagesForOneChange(10_000);
    const writes = stage.trace.filter(({ to, event }) => to === 'store' && event === 'container.write');
    expect(writes.length).toBeLessThan(10);
  });
});
