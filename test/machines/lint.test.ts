import { describe, expect, it } from 'vitest';
import { assign, createMachine, emit, raise } from 'xstate';
import { SUBJECTS } from './all.ts';
import { deadCandidates, impurities } from './lint.ts';

describe.each(SUBJECTS.map((subject) => [subject.name, subject] as const))('%s', (name, { machine }) => {
  it('is called by the name under which it is exported', () => {
    expect(machine.id).toBe(name);
  });

  it('is a pure protocol: it assigns and emits, nothing else', () => {
    expect(impurities(machine)).toEqual([]);
  });

  it('has no transition that another one hides', () => {
    expect(deadCandidates(machine)).toEqual([]);
  });
});

describe('the lint', () => {
  const options = { options: { maxIterations: 10 } };
  const isTrue = (): boolean => true;
  const sound = { ...options, initial: 'a', states: { a: { entry: [assign({}), emit({ type: 'x' })] } } };
  const offenders: readonly [what: string, config: object, found: string][] = [
    ['no bound on a step', { initial: 'a', states: { a: {} } }, 'maxIterations is not set'],
    [
      'a delayed transition',
      { ...options, initial: 'a', states: { a: { after: { 10: 'a' } } } },
      'a: has a delayed transition',
    ],
    [
      'an eventless one',
      { ...options, initial: 'a', states: { a: { always: { guard: isTrue } } } },
      'a: has an eventless transition',
    ],
    ['an invoked actor', { ...options, initial: 'a', states: { a: { invoke: { src: 'x' } } } }, 'a: invokes an actor'],
    [
      'a raised event',
      { ...options, entry: raise({ type: 'x' }) },
      'the root: has an action that is neither emit nor assign, xstate.raise',
    ],
    ['a side effect', { ...options, exit: () => undefined }, 'the root: has an action that is neither emit nor assign'],
    [
      'an action by name',
      { ...options, on: { x: { actions: 'foo' } } },
      'the root: has an action that is neither emit nor assign',
    ],
    ['a wildcard', { ...options, on: { 'driver.*': {} } }, 'the root: has a wildcard, driver.*'],
    ['a parallel state', { ...options, type: 'parallel', states: { a: {} } }, 'the root: is parallel'],
    ['a wrong initial', { ...options, initial: 'A', states: { a: {} } }, 'the root: has no such initial'],
    ['a guard by name', { ...options, on: { x: { guard: 'foo' } } }, 'the root: x has a guard without a name'],
    ['an inline guard', { ...options, on: { x: { guard: () => true } } }, 'the root: x has a guard without a name'],
  ];

  it.each(offenders)('finds %s', (_, config, found) => {
    expect(impurities(createMachine(config))).toContain(found);
  });

  it('finds nothing in a sound machine', () => {
    expect(impurities(createMachine(sound))).toEqual([]);
  });

  it('finds a transition behind an unguarded one', () => {
    const on = { x: [{ guard: isTrue }, {}, { target: '.a' }] };
    expect(deadCandidates(createMachine({ ...options, on, initial: 'a', states: { a: {} } }))).toEqual([' × x']);
  });
});
