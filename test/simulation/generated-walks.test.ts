import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { walkFileText } from '../../src/simulation/harness/walk-file.ts';
import {
  CONTENDER_RULES,
  type ContenderRule,
  readWalks,
  runWalk,
  type TestedContender,
  type Walk,
  WalkCoverage,
} from '../../src/simulation/index.ts';
import { reachableGraph } from '../../src/simulation/test-writer/graph.ts';
import { ABILITIES, type Ability } from '../../src/simulation/test-writer/possible-steps.ts';
import { leadershipWalks } from '../../src/simulation/test-writer/write-walks.ts';
import { good } from './contenders.ts';

const written = leadershipWalks();
const file = readWalks(walkFileText(written));

/** Says in each session exactly what the walk wants to hear; told to stop, it ends when it has nothing more to say. */
function puppet({ steps }: Walk): TestedContender {
  const roles: Walk['steps'][number][][] = [];
  for (const step of steps) {
    if (step.event === 'contender.started') roles.push([]);
    else if (step.event.startsWith('contender.')) roles.at(-1)?.push(step);
  }
  return async (session) => {
    const role = roles.shift() ?? [];
    let address = 'http://a';
    for (const { event, address: which, outcome } of role) {
      if (event === 'contender.confirm') {
        if (which === 'other') address = address === 'http://a' ? 'http://b' : 'http://a';
        session.confirm({ address }).catch(() => {});
      } else if (outcome === 'failed') throw new Error('as the walk says');
      else return;
    }
    await new Promise<void>((resolve) => {
      if (session.signal.aborted) resolve();
      session.signal.addEventListener('abort', () => resolve());
    });
  };
}

describe('the walks', () => {
  it('take every pair of transitions that the world around a leadership allows', () => {
    const graph = reachableGraph(new Set(Object.keys(ABILITIES) as Ability[]));
    expect(file.pairs.all).toBe(graph.pairs.size);
    expect(written.transitions).toBe(graph.transitions.length);
    expect(file.pairs.all).toBeGreaterThan(1_000);
  });

  it('are really gone, all pairs of them, by the runtime with contenders that do what each walk needs', async () => {
    const coverage = new WalkCoverage(file);
    const allow = Object.keys(CONTENDER_RULES) as ContenderRule[];
    const cut: string[] = [];
    for (const walk of file.walks) {
      const result = await runWalk(puppet(walk), walk, { allow });
      if (result.cutShort !== null) cut.push(`${walk.name}: ${result.cutShort}`);
      coverage.add(walk, result);
    }
    expect(cut).toEqual([]);
    expect(coverage.taken).toEqual(file.pairs);
    const unusual = file.pairs.all - file.pairs.led;
    expect(coverage.text()).toBe(
      `leadership: ${file.pairs.led} of ${file.pairs.led} pairs of transitions taken, and ${unusual} of ${unusual} that take an unusual contender`,
    );
  });

  it('need nothing unusual for the first of them: a plain contender is led through all these pairs', async () => {
    const coverage = new WalkCoverage(file);
    const contender = good['confirms, works, stops'] ?? (() => {});
    for (const walk of file.walks.filter(({ needs }) => needs.length === 0)) {
      coverage.add(walk, await runWalk(contender, walk, { timers: vi }));
    }
    expect(coverage.taken).toEqual({ all: file.pairs.led, led: file.pairs.led });
  });

  it('are as many as the documentation says', () => {
    const text = readFileSync(new URL('../../src/simulation/README.md', import.meta.url), 'utf8');
    const { all, led } = file.pairs;
    expect(text).toContain(
      `leadership: ${led} of ${led} pairs of transitions taken, and 0 of ${all - led} that take an unusual contender`,
    );
    expect(Math.round(file.walks.length / 100)).toBe(3);
    expect(text).toContain('one test for each of some 300 walks');
  });

  it('count what a contender does not take, and say why', async () => {
    const walk = file.walks.find(({ needs }) => needs.length === 1 && needs[0] === ABILITIES.throws);
    if (walk === undefined) throw new Error('no walk needs a contender that throws');
    const coverage = new WalkCoverage(file);
    coverage.add(walk, await runWalk(good['confirms, works, stops'] ?? (() => {}), walk, { timers: vi }));
    expect(coverage.text()).toMatch(
      /pairs of transitions taken[\s\S]*cut short:\n {2}1 × needs a contender that throws by itself$/,
    );
  });

  it('have names that are short, and no two the same', () => {
    const names = file.walks.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => name.length > 130)).toEqual([]);
    expect(names).toContain('suspended before the contender has started, then revoked');
  });

  it('end with a fault that names the place when the machine goes elsewhere', async () => {
    const [first] = file.walks;
    if (first === undefined) throw new Error('there is no walk');
    const steps = first.steps.map((step, at) => (at === 1 ? { ...step, state: 'confirmed.settled' } : step));
    await expect(runWalk(() => {}, { ...first, steps })).rejects.toThrow(
      /the walk says confirmed\.settled: generate the tests again/,
    );
  });

  it('are refused when the file is not theirs', () => {
    expect(() => readWalks('{}')).toThrow(/its format is undefined/);
    const broken = walkFileText(written).replace('granted session', 'granted-twice session');
    expect(() => readWalks(broken)).toThrow(/not a step: granted-twice/);
  });
});
