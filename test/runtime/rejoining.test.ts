import { expect, it } from 'vitest';
import { aborted, Stage } from './stage.ts';

it('a component that comes back within one session takes no answer of its former contender for its own', async () => {
  const stage = new Stage();
  const faults = stage.faults();
  const tenure = await stage.open({ faults });
  const confirmed: string[] = [];
  const lead = (address: string) =>
    tenure.lead('rest', async (session) => {
      session.confirm({ address }).then(
        async () => confirmed.push(`${address} when ${(await stage.entries()).rest} is stored`),
        () => {},
      );
      await aborted(session.signal);
    });
  // Another component keeps the session when the first one leaves.
  tenure.lead('other', (session) => aborted(session.signal));
  await stage.advance(100);
  const { sessionId } = tenure.state;

  // The write of the entry lands, nobody hears of it, and it cannot be looked up for a while.
  faults.set('container.write', { kind: 'lose-answer', times: 1 });
  faults.set('container.read', { kind: 'refuse' });
  const former = lead('http://a');
  await stage.advance(100);
  void former.close();
  await stage.advance(6_000);
  lead('http://b');
  await stage.advance(100);
  // Looked up now, while the write of the second entry takes its time.
  faults.clear();
  faults.set('container.write', { kind: 'delay', delayMs: 1_000, times: 1 });
  await stage.advance(5_000);

  expect(tenure.state.sessionId).toBe(sessionId);
  expect(confirmed).toEqual(['http://b when http://b is stored']);
  expect(await stage.close()).toBe(0);
});
