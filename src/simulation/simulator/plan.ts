import type { Act, Action, Happening, Manner, Who } from './actions.ts';
import { GOOD_MANNERS } from './actions.ts';
import { Draw } from './draw.ts';
import type { Parameters } from './parameters.ts';

const ENDING: readonly Happening[] = ['crash', 'pause', 'sleep', 'partition', 'step-down', 'close'];

/** Everything that happens to a run before the faults end, decided from the seed. */
export function planOf(parameters: Parameters): readonly Action[] {
  const draw = new Draw(parameters.seed, 'plan');
  const planner = new Planner(parameters, draw);
  const actions: Action[] = [];
  // Twice as often as the rest: what a leadership can end by.
  const pool = [...parameters.happenings, ...parameters.happenings.filter((happening) => ENDING.includes(happening))];
  let atMs = 0;
  for (let n = 0; n < parameters.actions; n += 1) {
    atMs += draw.span(parameters.gapMs);
    const act = planner.act(draw.pick(pool));
    actions.push(
      'who' in act && act.who === 'leader' ? { ...act, atMs, lagMs: draw.span(parameters.lagMs) } : { ...act, atMs },
    );
  }
  return actions;
}

/** When the faults of a schedule end: a little after the last of them, so that it has an effect. */
export function safetyMs({ timing }: Parameters, actions: readonly Action[]): number {
  const last = actions.reduce((latest, { atMs }) => Math.max(latest, atMs), 0);
  return last + timing.callTimeoutMs;
}

class Planner {
  readonly #parameters: Parameters;
  readonly #draw: Draw;

  constructor(parameters: Parameters, draw: Draw) {
    this.#parameters = parameters;
    this.#draw = draw;
  }

  act(happening: Happening): Act {
    const draw = this.#draw;
    switch (happening) {
      case 'crash':
        return { do: 'crash', who: this.#who(), forMs: this.#around(0.3) };
      case 'pause':
      case 'sleep':
        return { do: happening, who: this.#who(), forMs: this.#around(1.4), timersFirst: draw.chance(0.5) };
      case 'partition':
        return { do: 'partition', who: this.#who(), forMs: this.#around(1.4), ...this.#cut() };
      case 'outage':
        return { do: 'outage', forMs: this.#around(0.3), how: draw.pick(['refusing', 'silent'] as const) };
      case 'calls':
        return this.#calls();
      case 'news':
        return this.#news();
      case 'clock':
        return { do: 'clock', who: this.#who(), byMs: this.#step() };
      case 'step-down':
        return draw.chance(0.7) ? { do: 'step-down', who: this.#who() } : { do: 'ask-step-down' };
      case 'leave':
        return { do: 'leave', who: this.#who(), component: this.#component(), forMs: this.#around(0.2) };
      case 'close':
        return { do: 'close', who: this.#who(), forMs: this.#around(0.2) };
      case 'erase':
        return { do: 'erase', component: this.#component() };
      case 'manners':
        return { do: 'manners', who: this.#who(), component: this.#component(), manner: this.#manner() };
    }
  }

  /** Mostly the leader: what happens to a standby is seldom of consequence. */
  #who(): Who {
    const { participants } = this.#parameters;
    return this.#draw.chance(0.75) ? 'leader' : this.#draw.int(0, participants.length);
  }

  #component(): string {
    return this.#draw.pick(this.#parameters.components);
  }

  #around(leases: number): number {
    return 1 + this.#draw.span(leases * this.#parameters.timing.leaseDurationMs);
  }

  #cut(): { readonly way: 'both' | 'to' | 'from'; readonly holds: boolean } {
    return { way: this.#draw.pick(['both', 'to', 'from'] as const), holds: this.#draw.chance(0.5) };
  }

  #calls(): Act {
    const draw = this.#draw;
    const { callTimeoutMs, leaseDurationMs } = this.#parameters.timing;
    const fault = draw.pick([
      'drop',
      'drop',
      'lose-answer',
      'lose-answer',
      'lose-answer',
      'delay',
      'delay',
      'slow-answer',
      'refuse',
      'too-large',
    ] as const);
    const calls = draw.pick(['', '', 'lease', 'container', 'lease.acquire', 'container.write', 'lease.release']);
    const delayMs = draw.span(fault === 'delay' ? leaseDurationMs / 2 : callTimeoutMs);
    return { do: 'calls', who: this.#who(), fault, calls, times: draw.int(1, 4), delayMs };
  }

  #news(): Act {
    const draw = this.#draw;
    const { leaseDurationMs } = this.#parameters.timing;
    const fault = draw.pick(['drop', 'repeat', 'late', 'overtaken'] as const);
    const of = draw.pick(['lease', 'register'] as const);
    return { do: 'news', who: this.#who(), of, fault, times: draw.int(1, 3), delayMs: draw.span(leaseDurationMs / 3) };
  }

  /**
   * A wall clock that is set back and a machine that sleeps for as long, both between two readings of the clock, cannot
   * be told from nothing at all: a limit of every clock, so no seed has both.
   */
  #step(): number {
    const byMs = this.#around(0.5);
    const mayGoBack = !this.#parameters.happenings.includes('sleep');
    return mayGoBack && this.#draw.chance(0.5) ? -byMs : byMs;
  }

  #manner(): Manner {
    const draw = this.#draw;
    const { leaseDurationMs, stopBoundMs } = this.#parameters.timing;
    if (draw.chance(0.2)) return GOOD_MANNERS;
    return {
      confirmAfterMs: draw.chance(0.15) ? null : draw.chance(0.5) ? 0 : draw.span(leaseDurationMs / 4),
      awaitsConfirm: draw.chance(0.5),
      confirmsTwice: draw.chance(0.2),
      movesAfterMs: draw.chance(0.3) ? draw.span(leaseDurationMs / 3) : null,
      ends: draw.pick(['stays', 'stays', 'returns', 'throws'] as const),
      endsAfterMs: draw.span(leaseDurationMs / 2),
      overstaysMs: draw.chance(0.4) ? draw.span(draw.pick([stopBoundMs, leaseDurationMs])) : 0,
    };
  }
}
