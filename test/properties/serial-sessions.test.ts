import { describe, it } from 'vitest';
import { holds, isBroken } from './holds.ts';
import { type Between, serialProperty } from './serial-sessions.ts';

describe('sessions of a component are serial in one process', () => {
  it('through step-downs, thefts, cuts, resignations and slow goodbyes', () => holds(serialProperty(), 40));
});

/** As if the runtime took the order to stop for the end of the work. */
const impatient: Between = (work) => (session) =>
  new Promise((resolve, reject) => {
    Promise.resolve(work(session)).then(resolve, reject);
    session.signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });

describe('the property finds a runtime that', () => {
  it('begins the next session before the work of the former one has ended', () =>
    isBroken(serialProperty(impatient), /overlap|began while/));
});
