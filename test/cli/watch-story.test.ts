import { describe, expect, it } from 'vitest';
import { painter } from '../../src/cli/text/paint.ts';
import { WatchLines } from '../../src/cli/watch/lines.ts';
import { WatchStory } from '../../src/cli/watch/story.ts';
import type { ContainerState } from '../../src/ports/container.ts';

const UUID = '4c1f0d9a-1111-4222-8333-123456789abc';
const entry = (token: bigint, address: string) => ({
  sessionId: `s${token}`,
  fencingToken: token,
  address,
  metadata: {},
});

function state(
  token: bigint | null,
  changed: Record<string, ReturnType<typeof entry> | null>,
  full = false,
): ContainerState {
  const fence = token === null ? null : { fencingToken: token, sessionId: `s${token}` };
  return { version: 1n, fence, full, changed: new Map(Object.entries(changed)) };
}

/** What a watcher prints for these states of the register. */
function told(states: readonly (readonly [number, ContainerState])[]): string[] {
  const story = new WatchStory();
  story.learn('s4711', `api-x2kqp-${UUID}`);
  story.learn('s4733', `api-m8d2r-${UUID}`);
  const lines = new WatchLines(painter(false));
  return states.flatMap(([atMs, one]) => story.read(one, atMs)).map((change) => lines.line(change));
}

describe('tenure watch', () => {
  it('tells a fail-over, and how long nobody was confirmed', () => {
    expect(
      told([
        [0, state(4711n, { restserver: entry(4711n, 'http://10.4.1.17:8081') }, true)],
        [8_214, state(4733n, {})],
        [8_236, state(4733n, { restserver: entry(4733n, 'http://10.4.2.9:8081') })],
      ]),
    ).toEqual([
      '   +0.000 s  restserver  ●  api-x2kqp-4c1f  token 4711  http://10.4.1.17:8081',
      '   +8.214 s  restserver  ◌  superseded by token 4733, not confirmed yet',
      '   +8.236 s  restserver  ●  api-m8d2r-4c1f  token 4733  http://10.4.2.9:8081   gap 22 ms',
    ]);
  });

  it('tells an entry of an older session as superseded, also when it is the first thing seen', () => {
    expect(told([[0, state(4733n, { main: entry(4711n, 'x') }, true)]])).toEqual([
      '   +0.000 s  main  ◌  superseded by token 4733, not confirmed yet',
    ]);
  });

  it('tells a withdrawal, by a deletion and by a full state that lacks it', () => {
    const lines = told([
      [0, state(4711n, { a: entry(4711n, 'x'), b: entry(4711n, 'y') }, true)],
      [10, state(4711n, { a: null })],
      [20, state(4711n, {}, true)],
      [30, state(4711n, {}, true)],
    ]);
    expect(lines.slice(2)).toEqual([
      '   +0.010 s  a     ◌  withdrawn by its leader',
      '   +0.020 s  b     ◌  withdrawn by its leader',
    ]);
  });

  it('is silent when nothing changes and speaks when an address does', () => {
    const same = state(4711n, { a: entry(4711n, 'x') });
    expect(
      told([
        [0, same],
        [5, same],
        [9, state(4711n, { a: entry(4711n, 'y') })],
      ]),
    ).toHaveLength(2);
  });

  it('names the session where the holder is not known', () => {
    expect(told([[0, state(1n, { a: { ...entry(1n, 'x'), sessionId: '0f7f1341-823b' } }, true)]])[0]).toContain(
      'session 0f7f1341',
    );
  });

  it('counts the gap from the first loss', () => {
    const lines = told([
      [0, state(4711n, { a: entry(4711n, 'x') }, true)],
      [100, state(4711n, { a: null })],
      [200, state(4733n, {})],
      [300, state(4733n, { a: entry(4733n, 'x') })],
    ]);
    expect(lines.at(-1)).toContain('gap 200 ms');
    expect(lines).toHaveLength(3);
  });
});
