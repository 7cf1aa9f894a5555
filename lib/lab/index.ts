// Exports what a cell imports as `lab`: `import { lab } from "mpslab"`.
import { nativeDevice } from "./core/native_device.ts";
import type { MemorySample } from "../records/epochs.ts";
import { sampleMemory } from "./core/memory.ts";
import "./logbook/replay_record.ts";
import "./runbook/session_run.ts";

export { type ArchitectureOptions, architectures } from "./measures/architectures/architectures.ts";
export type { ArchitectureRow, Architectures } from "./measures/architectures/result.ts";
export { benchmark, type BenchmarkOptions } from "./measures/benchmark/benchmark.ts";
export { type BucketsOptions, buckets, type BucketStep } from "./measures/buckets/buckets.ts";
export type { BucketsRecord, RecordedBucket } from "./measures/buckets/record.ts";
export type { Bucket, Buckets } from "./measures/buckets/result.ts";
export { budget } from "./measures/budget/budget.ts";
export type { Budget, LayerBudget, ScaledBudget } from "./measures/budget/result.ts";
export type { BudgetOptions, BudgetSubject } from "./measures/budget/options.ts";
export {
  type CompareOptions,
  type Comparison,
  compare,
  type Candidate,
} from "./measures/benchmark/compare.ts";
export type { Benchmark } from "./measures/benchmark/measure.ts";
export type { MeasureOptions } from "./measures/benchmark/options.ts";
export { type Citation, decide, type DecideOptions, type Decision } from "./runbook/decide/decide.ts";
export { MATRIX, type Rule, RULES, THRESHOLDS, type Thresholds } from "./runbook/decide/runbook.ts";
export { STOPPING, type StoppingVerdict, stoppingRule } from "./runbook/decide/stopping.ts";
export { type Diagnosis, diagnose, type Finding } from "./runbook/diagnose/diagnose.ts";
export { type SymptomName, SYMPTOMS } from "./runbook/diagnose/symptoms.ts";
export { epochs, flush, log, mark } from "./epochs/epochs.ts";
export type { Evidence } from "./runbook/evidence.ts";
export type { Gate, Gates, GateStatus } from "./runbook/gates/gate.ts";
export { gates } from "./runbook/gates/gates.ts";
export { GROWTH_THRESHOLD, type Growth, type GrowthMetric, growth } from "./epochs/growth.ts";
export { type Ledger, ledger } from "./core/ledger.ts";
export type {
  Collection,
  EpochRecord,
  MemoryMark,
  MemoryPressure,
  MemorySample,
  SkippedStepRecord,
} from "../records/epochs.ts";
export type { Flush } from "./epochs/flush.ts";
export type { LogOptions } from "./epochs/metrics.ts";
export { type ImageOptions, SummaryWriter, type SummaryWriterOptions } from "./tensorboard/summary_writer.ts";
export * as logbook from "./logbook/logbook.ts";
export {
  type MemoryRecording,
  memorySnapshot,
  type MemorySnapshotOptions,
  recordMemory,
} from "./memory_snapshot/memory_snapshot.ts";
export type {
  DeviceMemory,
  MemoryPeak,
  MemorySnapshot,
  Outliving,
  SnapshotFigures,
} from "./memory_snapshot/result.ts";
export type { AllocationSite } from "./memory_snapshot/sites.ts";
export {
  parity,
  type ParityOptions,
  type ParityRecord,
  type ParitySubject,
} from "./measures/parity/parity.ts";
export type { Parity } from "./measures/parity/result.ts";
export type { TensorDelta } from "./measures/parity/tensors.ts";
export type { ParityGroup, Tolerance } from "./measures/parity/tolerance.ts";
export {
  type BarsOptions,
  type BoxOptions,
  type ConfusionMatrixOptions,
  type GridOptions,
  type HeatmapOptions,
  type HistogramOptions,
  type ImagesOptions,
  type LinesOptions,
  type LiveOptions,
  type Plot,
  plot,
  type PointsOptions,
} from "./plot/index.ts";
export { progress, type ProgressOptions, type WithProgress } from "./progress/progress.ts";
export type { RaySweepOptions } from "./ray/options.ts";
export type { RemoteOptions } from "./remote/address.ts";
export type { Movement, PointMovement } from "./remote/result_drift.ts";
export type { RemoteSweepOptions } from "./remote/options.ts";
export { remote, type Remotes, remotes } from "./remote/remote.ts";
export type { RemoteReport, RemoteSweepResult } from "./remote/result.ts";
export type { Search, TrialFigures } from "./search/result.ts";
export { search, type SearchOptions, type Trial } from "./search/search.ts";
export type { Chosen, Range as SearchRange, Space as SearchSpace } from "./search/space.ts";
export { ShadowError } from "./measures/shadow/finding.ts";
export type { Shadow, ShadowedOperator, ShadowedTensor, ShadowFinding } from "./measures/shadow/result.ts";
export { shadow, type ShadowOptions } from "./measures/shadow/shadow.ts";
export { type Smoke, smoke, type SmokeOptions } from "./sweep/smoke.ts";
export type { Spread } from "../statistics/spread.ts";
export type { SweepOptions, SweepWork } from "./sweep/options.ts";
export type {
  Leak,
  Point,
  PointMemory,
  PointRecord,
  PointStatus,
  SteadyWindows,
} from "../records/batch_sweeps/point.ts";
export type { SweepResult } from "../records/batch_sweeps/result.ts";
export { type SyncSite, type Syncs, syncs, type SyncsOptions } from "./measures/syncs/syncs.ts";
export type { DeviceCopy } from "./measures/trace/copies.ts";
export type { TracedPhase } from "./measures/trace/parts.ts";
export type { Trace } from "./measures/trace/result.ts";
export type { BackendSwitch } from "./measures/trace/switches.ts";
export { trace, type TraceOptions } from "./measures/trace/trace.ts";
export { sweep } from "./ray/sweep.ts";
export {
  check,
  type CheckError,
  type CheckedCondition,
  type CheckOptions,
  type CheckResult,
} from "./teaching/check.ts";
export { claim, type ClaimOptions } from "./teaching/claim.ts";
export { course, type Course, type CourseLesson } from "./teaching/course.ts";
export {
  type ChoicePrediction,
  type ComparedChoice,
  type ComparedNumber,
  type NumberPrediction,
  predict,
} from "./teaching/predict.ts";
export type { ChoiceQuestion, NumberQuestion, Question } from "./teaching/questions.ts";
export type { Answer } from "./teaching/form_page.ts";
export { type Quiz, quiz, type QuizOptions, type QuizScore } from "./teaching/quiz.ts";
export { signal } from "./core/signal.ts";
export type { TuneOptions } from "./tune/options.ts";
export type { LargestBatch, SameResults, Tuned, TunedKnob, TuneTrial, TuneVerdict } from "./tune/result.ts";
export type { KnobValue, TuneKnob, TuneSettings } from "./tune/settings.ts";
export type { MakeTraining, Training, TuneChoice } from "./tune/training.ts";
export { tune } from "./tune/tune.ts";
export {
  type Utilization,
  utilization,
  type UtilizationOptions,
} from "./measures/utilization/utilization.ts";

/** Memory of the current device, of this process and of the machine, now. */
export function memory(): MemorySample {
  return sampleMemory(nativeDevice());
}
