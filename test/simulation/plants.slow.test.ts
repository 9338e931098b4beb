import { describe, expect, it } from 'vitest';
import { Search, type SearchOptions } from '../../src/simulation/explorer/index.ts';
import { type Plant, planted, plants } from '../../src/simulation/explorer/plants/index.ts';

type Options = Omit<SearchOptions, 'maxStates'>;
type Part = readonly [part: string, options: Options];

function expectClean(options: Options): void {
  const { found, isComplete } = new Search({ ...options, maxStates: 2_000_000 }).run();
  expect({ found, isComplete }).toEqual({ found: null, isComplete: true });
}

/** The plant with one of its changes left out, for each of them. */
function withoutOne(plant: Plant): Part[] {
  const { scope, machines = {}, store } = planted(plant);
  const names = Object.keys(machines);
  if (names.length + (store === undefined ? 0 : 1) < 2) return [];
  const others = names.map((name): Part => {
    const left = Object.fromEntries(Object.entries(machines).filter(([other]) => other !== name));
    return [name, { scope, machines: left, ...(store === undefined ? {} : { store }) }];
  });
  return store === undefined ? others : [...others, ['store', { scope, machines }]];
}

describe('a planted bug', () => {
  it.each(plants.flatMap((plant) => withoutOne(plant).map(([part, options]) => [plant.name, part, options] as const)))(
    '%s needs every change that it makes: without that of the %s nothing is found',
    (_name, _part, options) => {
      expectClean(options);
    },
  );
});

describe('the same scope without the bug', () => {
  const scopes = new Map(plants.map(({ scope }) => [JSON.stringify(scope), scope]));

  it.each([...scopes])('%s is clean', (_, scope) => expectClean({ scope }));
});
