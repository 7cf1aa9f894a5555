// What `lab` is to a cell: `import { lab } from "mpslab"`.
import { currentAccelerator } from "./current_accelerator.ts";
import type { MemorySample } from "./ledger.ts";
import { sampleMemory } from "./memory.ts";
import "./replay_record.ts";

export {
  type ArchitectureOptions,
  type ArchitectureRow,
  type Architectures,
  architectures,
} from "./architectures/architectures.ts";
export { benchmark, type BenchmarkOptions } from "./benchmark/benchmark.ts";
export { type Budget, budget, type LayerBudget, type ScaledBudget } from "./budget/budget.ts";
export type { BudgetOptions, BudgetSubject } from "./budget/options.ts";
export { type CompareOptions, type Comparison, compare, type Contender } from "./benchmark/compare.ts";
export type { Benchmark } from "./benchmark/measure.ts";
export type { MeasureOptions } from "./benchmark/options.ts";
export { type Citation, decide, type DecideOptions, type Decision } from "./decide/decide.ts";
export { MATRIX, type Rule, RULES, THRESHOLDS, type Thresholds } from "./decide/runbook.ts";
export { STOPPING, type StoppingVerdict, stoppingRule } from "./decide/stopping.ts";
export { type Diagnosis, diagnose, type Finding } from "./diagnose/diagnose.ts";
export { type SymptomName, SYMPTOMS } from "./diagnose/symptoms.ts";
export { epochs, flush, mark } from "./epochs.ts";
export type { Evidence } from "./evidence.ts";
export type { Gate, Gates, GateStatus } from "./gates/gate.ts";
export { gates } from "./gates/gates.ts";
export { GROWTH_THRESHOLD, type Growth, type GrowthMetric, growth } from "./growth.ts";
export {
  type Collection,
  type EpochRecord,
  type Ledger,
  ledger,
  type MemoryMark,
  type MemoryPressure,
  type MemorySample,
  type SkippedStepRecord,
} from "./ledger.ts";
export type { Flush } from "./flush.ts";
export * as logbook from "./logbook/logbook.ts";
export {
  type Parity,
  parity,
  type ParityOptions,
  type ParityRecord,
  type ParitySubject,
} from "./parity/parity.ts";
export type { TensorDelta } from "./parity/tensors.ts";
export type { ParityGroup, Tolerance } from "./parity/tolerance.ts";
export type { RemoteOptions } from "./remote/address.ts";
export type { Movement, PointMovement } from "./remote/movement.ts";
export type { RemoteSweepOptions } from "./remote/options.ts";
export { remote, type Remotes, remotes } from "./remote/remote.ts";
export type { RemoteReport, RemoteSweepResult } from "./remote/result.ts";
export { type Smoke, smoke, type SmokeOptions } from "./smoke.ts";
export type { Spread } from "./spread.ts";
export type { SweepOptions, SweepWork } from "./sweep/options.ts";
export type { Leak, Point, PointMemory, PointRecord, PointStatus, SteadyWindows } from "./sweep/point.ts";
export type { SweepResult } from "./sweep/result.ts";
export { type SyncSite, type Syncs, syncs, type SyncsOptions } from "./syncs/syncs.ts";
export type { DeviceCopy } from "./trace/copies.ts";
export { type BackendSwitch, type Trace, trace, type TracedPhase, type TraceOptions } from "./trace/trace.ts";
export { sweep } from "./sweep/sweep.ts";
export { signal } from "./signal.ts";

/** Memory of the current device, of this process and of the machine, now. */
export function memory(): MemorySample {
  return sampleMemory(currentAccelerator());
}
