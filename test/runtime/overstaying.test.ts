import { describe, expect, it } from 'vitest';
import { settle } from '../../src/simulation/settle.ts';
import { Stage } from './stage.ts';

/** A contender that ignores its signal until the test lets it go. */
function stubborn(): { readonly run: () => Promise<void>; readonly letGo: () => void } {
  let letGo = (): void => {};
  const gone = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return { run: () => gone, letGo };
}

describe('a contender that outlives the close of its component', () => {
  it('keeps its component taken, and the lock unreleased, until it has settled', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    const former = stubborn();
    const other = tenure.lead(
      'job',
      (session) => new Promise((stop) => session.signal.addEventListener('abort', stop)),
    );
    const leading = tenure.lead('rest', former.run);
    await settle();
    const closed = leading.close();
    await stage.advance(11_000);
    await closed;
    expect(stage.findings.map(({ code }) => code)).toEqual(['contender-overstayed']);
    expect(() => tenure.lead('rest', () => {})).toThrow(expect.objectContaining({ code: 'component-taken' }));
    expect(other.state.phase).toBe('confirm-pending');

    former.letGo();
    await settle();
    const next = tenure.lead('rest', () => new Promise(() => {}));
    await settle();
    expect(next.state.phase).toBe('confirm-pending');
    void next.close();
    await stage.advance(11_000);
  });

  it('once it has settled, a step-down gives the lock back as usual', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    const former = stubborn();
    tenure.lead('job', (session) => new Promise((stop) => session.signal.addEventListener('abort', stop)));
    const leading = tenure.lead('rest', former.run);
    await settle();
    void leading.close();
    await stage.advance(11_000);
    former.letGo();
    await settle();
    const steppedDown = tenure.stepDown();
    await stage.advance(100);
    await expect(steppedDown).resolves.toBeUndefined();
    const reading = await stage.lease.read({ timeoutMs: 1 });
    expect(reading).toMatchObject({ outcome: 'found', record: { holder: '' } });
  });
});
