/** For users: open a participant, lead, follow. */

export type { ErrorCode, ErrorOutcome, Violation } from './errors.ts';
export { ERROR_CATALOGUE, InvalidOptionsError, TenureError } from './errors.ts';
export type { Backend, BackendContext, OpenBackend } from './ports/backend.ts';
export type { Clock } from './ports/clock.ts';
export type {
  Container,
  ContainerReading,
  ContainerState,
  ContainerWrite,
  ContainerWriteResult,
} from './ports/container.ts';
export type { LeaseReading, LeaseRecord, LeaseStore, LeaseWrite, LeaseWriteResult } from './ports/lease-store.ts';
export type { Random } from './ports/random.ts';
export type { TraceLine, TraceSink, TraceStep, TraceWorld } from './ports/trace.ts';
export type {
  ContenderFunction,
  ElectionPhase,
  ElectionState,
  Finding,
  Following,
  Leader,
  LeaderSession,
  LeadershipPhase,
  LeadershipState,
  Leading,
  LeadOptions,
  RevokeReason,
  Tenure,
  TenureOptions,
  TimingOptions,
} from './runtime/api.ts';
export type { LeadershipLogicEvent, LeadershipLogicInput, LeadershipToParent } from './runtime/leadership-logic.ts';
export { leadershipLogic } from './runtime/leadership-logic.ts';
export { openTenure } from './runtime/open-tenure.ts';
export type { Stream } from './runtime/stream.ts';
/** For those who write a backend or bring their own time and randomness. */
export { DEFAULT_TIMING } from './runtime/timing.ts';
