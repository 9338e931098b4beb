import type { Output } from '../output.ts';
import { span, tenths } from '../text/durations.ts';
import { participantName } from '../text/participant.ts';
import { visible } from '../text/visible.ts';
import type { ChildEnd } from './messages.ts';
import type { RunPlan } from './plan.ts';

/** What happens next, as the end of a line. */
export type Next = 'standing again' | 'ending' | { readonly startsAgainInMs: number };

/** What `tenure run` says about itself on stderr; stdout belongs to the child. With `--json` one document a line. */
export class RunTalk {
  readonly #output: Output;
  readonly #plan: RunPlan;

  constructor(output: Output, plan: RunPlan) {
    this.#output = output;
    this.#plan = plan;
  }

  standing(place: string, identity: string): void {
    const { election, component } = this.#plan;
    const what = component === 'main' ? election : `${election}, component ${visible(component)},`;
    this.#say(`standing for ${what} on ${visible(place)} as ${participantName(identity)}`, {
      event: 'standing',
      election,
      component,
      place,
      identity,
    });
  }

  unprotected(): void {
    const line = 'nothing keeps a second process from leading too; make sure that only one runs';
    this.#say(line, { event: 'finding', code: 'unprotected', detail: line });
  }

  leading(session: { readonly id: string; readonly fencingToken: bigint }): void {
    const command = [this.#plan.command, ...this.#plan.args].map(visible).join(' ');
    this.#say(`leading, token ${session.fencingToken}; starting ${command}`, {
      event: 'leading',
      sessionId: session.id,
      fencingToken: session.fencingToken,
      command: [this.#plan.command, ...this.#plan.args],
    });
  }

  /** The guard begins to stop the child because no renewal was acknowledged for too long. */
  overdue(leftMs: number): void {
    const { timing, graceMs } = this.#plan;
    const sinceMs = timing.leaseDurationMs - timing.marginMs - leftMs;
    const othersMs = leftMs + timing.marginMs;
    const line = `lease not renewed for ${tenths(sinceMs)}; child gets SIGTERM, SIGKILL in ${tenths(graceMs)}, another may lead in ${tenths(othersMs)}`;
    this.#say(line, { event: 'stopping', reason: 'deadline', signal: 'SIGTERM', graceMs, remainingMs: leftMs });
  }

  revoked(reason: string, graceMs: number): void {
    const kill = graceMs === 0 ? 'child is killed at once' : `child gets SIGTERM, SIGKILL in ${tenths(graceMs)}`;
    // A sentence becomes the first half of one.
    const why = `${reason.charAt(0).toLowerCase()}${reason.slice(1).replace(/\.$/, '')}`;
    this.#say(`${visible(why)}; ${kill}`, {
      event: 'stopping',
      reason,
      signal: graceMs === 0 ? 'SIGKILL' : 'SIGTERM',
      graceMs,
    });
  }

  interrupted(signal: NodeJS.Signals, graceMs: number): void {
    const kill = graceMs === 0 ? 'child is killed at once' : `child gets it too, SIGKILL in ${tenths(graceMs)}`;
    this.#say(`received ${signal}; ${kill}`, { event: 'stopping', reason: 'interrupted', signal, graceMs });
  }

  suspended(suspended: boolean, remainingMs: number): void {
    const line = suspended
      ? `backend out of reach; the lease is ours for ${tenths(remainingMs)} more`
      : `backend is back; the lease is ours for ${tenths(remainingMs)}`;
    this.#say(line, { event: suspended ? 'suspended' : 'resumed', remainingMs });
  }

  ended(end: ChildEnd, afterMs: number, next: Next): void {
    const how = end.signal === null ? `exited ${end.code}` : `ended by ${end.signal}`;
    const why = end.why === 'guard-died' ? 'guard died; child ' : 'child ';
    const then = typeof next === 'string' ? next : `starting it again in ${span(next.startsAgainInMs)}`;
    this.#say(`${why}${how} after ${span(afterMs)}; ${then}`, {
      event: 'ended',
      code: end.code,
      signal: end.signal,
      reason: end.why,
      afterMs: Math.round(afterMs),
      next: then,
    });
  }

  finding(detail: string, code: string): void {
    this.#say(`! ${visible(detail)} [${code}]`, { event: 'finding', code, detail });
  }

  #say(line: string, document: Readonly<Record<string, unknown>>): void {
    this.#output.event(line, document);
  }
}
