// Fills the fields of a run: what the machine reports, then what the user gave, and a reason for each that stays null.
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { packageManifest } from "../../installation/package.ts";
import { installedSession, notebookFolder } from "../../session.ts";
import { checkInteger, describe, isRecord } from "../../torch/vocabulary/arguments.ts";
import { initialSeed } from "../../torch/random/random.ts";
import { native } from "../../torch/engine/native.ts";
import { stepStrategy } from "../../torch/engine/step_strategy.ts";
import { computer, mountTypeOf } from "../core/system_info.ts";
import { nativeDevice } from "../core/native_device.ts";
import { trialParameters } from "../core/trial_parameters.ts";
import { ledger } from "../core/ledger.ts";
import type { EpochRecord } from "../../records/epochs.ts";
import { fallsBack } from "../../torch/devices/mps/environment_variables.ts";
import type { Parity } from "../measures/parity/result.ts";
import type { ParityGroup } from "../measures/parity/tolerance.ts";
import { spreadOf } from "../../statistics/spread.ts";
import type { SweepResult } from "../../records/batch_sweeps/result.ts";
import { type RunEntry, SCHEMA_VERSION } from "../../records/logbook/entry.ts";
import { epochSeries } from "../../records/logbook/epoch_series.ts";
import { FIELD_NAMES, type FieldName, FIELDS, type FieldValue } from "../../records/logbook/fields.ts";
import { commitOf, lockFileAbove, sha256Of, torchBuildOf } from "../../records/logbook/origin.ts";
import { resultOfKind } from "../../records/logbook/result_kinds.ts";
import { parametersOfCells } from "../../records/declared_parameters.ts";
import { valueText } from "../../records/parameters.ts";
import { checkKept, storedResults } from "./results.ts";
import { tagsAndArtifacts } from "./tags_and_artifacts.ts";
import { tellingVariables } from "./variables.ts";

/** The fields that a user may give: those that only a person knows, and those that the machine could not find out. */
export interface RunGiven {
  /** The run's name in lists. Default: `run`. */
  readonly name?: string;
  /**
   * What the run was made with, `{ width: 64, rate: 0.01 }`: what `diff` suspects first. They add to those of a cell that
   * begins with `// Parameters`, as papermill and sweeps write one, and to those of a trial of `lab.search`.
   */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** A file, whose checksum is taken, or the name of a dataset. */
  readonly dataset?: string;
  /** The checksum of a dataset that is no one file. Default: that of the file `dataset`. */
  readonly datasetSha256?: string;
  /** Samples in a batch. */
  readonly batch?: number;
  /** Size of the input: `224x224`, `512 tokens`. */
  readonly resolution?: string;
  /** Processes that load data; 0 where the session loads it. */
  readonly workers?: number;
  /** How those processes get their seeds: `seed + worker id`. */
  readonly workerSeeds?: string;
  /** Where data are cached: what kind of disk it is on is looked up. */
  readonly cachePath?: string;
  /** Round-trip time to the store of artifacts. */
  readonly networkRttMs?: number;
  /** Dtype of automatic mixed precision, or `off`. */
  readonly amp?: string;
  /** The dtype of a convolution's weights. */
  readonly convolutionWeightsDtype?: string;
  /** The dtype of a norm's running statistics. */
  readonly normStatisticsDtype?: string;
  /** The dtype in which sums over a batch are accumulated, such as a loss. */
  readonly reductionsDtype?: string;
  /** Whether activations were computed again in backward. Default: what training showed. */
  readonly checkpointing?: boolean;
  /** Batches whose gradients were added up for a step. Default: what training showed. */
  readonly accumulationSteps?: number;
  /** Programs that were closed for this run. */
  readonly closedApps?: readonly string[];
  /** Whether the computer was plugged in. */
  readonly powerAdapter?: boolean;
  /** Whether macOS saved power. */
  readonly lowPowerMode?: boolean;
  /** What the system says of its heat: `nominal`, `serious`. */
  readonly thermalState?: string;
  /** Results of the lab by name: `{ sweep, comparison }`. */
  readonly results?: Readonly<Record<string, unknown>>;
  /** Words by which the run is found again, `{ stage: "baseline" }`. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Files that the run made, `["model.safetensors"]`: their checksums and sizes are kept. */
  readonly artifacts?: readonly string[];
}

/** The fields that a user may give beside the parameters; only the machine fills the others. */
export const GIVEN = [
  "dataset",
  "datasetSha256",
  "batch",
  "resolution",
  "workers",
  "workerSeeds",
  "cachePath",
  "networkRttMs",
  "amp",
  "convolutionWeightsDtype",
  "normStatisticsDtype",
  "reductionsDtype",
  "checkpointing",
  "accumulationSteps",
  "closedApps",
  "powerAdapter",
  "lowPowerMode",
  "thermalState",
] as const satisfies readonly FieldName[];

type Filled = Partial<Record<FieldName, FieldValue>>;

/** @param call for errors: what the user wrote */
export function runEntry(given: RunGiven, call = "lab.logbook.record"): RunEntry {
  const { name = "run", results = {} } = given;
  if (typeof name !== "string") throw new TypeError(`${call}: name must be a string, got ${describe(name)}.`);
  const stored = storedResults(call, results);

  const told = { ...toldByUser(call, given), ...givenParameters(call, given.parameters) };
  const measured = withResults(toldByLedger(ledger.epochs), stored);
  const around = given.parameters === undefined ? parametersAround() : {};
  const found: Filled = {
    ...toldByMachine(),
    ...stepStrategy(),
    ...measured,
    ...lookedUp(told),
    ...(Object.keys(around).length > 0 && { parameters: around }),
  };
  const fields = {} as Record<FieldName, FieldValue>;
  const filledBy: Partial<Record<FieldName, "machine" | "user">> = {};
  const missing: Partial<Record<FieldName, string>> = {};
  for (const field of FIELD_NAMES) {
    const value = found[field] ?? told[field] ?? null;
    fields[field] = value;
    if (value === null) missing[field] = FIELDS[field].ask;
    // If a sensor reports a value, it wins over the user's.
    else filledBy[field] = (found[field] ?? null) === null ? "user" : "machine";
  }
  const at = new Date().toISOString();
  const epochs = epochSeries(ledger.epochs);
  return {
    type: "run",
    schema: SCHEMA_VERSION,
    id: randomUUID(),
    at,
    name,
    fields,
    filledBy,
    missing,
    results: stored,
    ...tagsAndArtifacts(call, given),
    ...(epochs === null ? {} : { epochs }),
  };
}

/** Those that cells declare, and those of the trial of a search. */
function parametersAround(): Record<string, string> {
  const ofCells = parametersOfCells([...(installedSession()?.cells() ?? [])].map(([, text]) => text));
  return { ...ofCells, ...textsOf(trialParameters()) };
}

const textsOf = (parameters: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, valueText(value)]));

/** What the user gives, beside those around. */
function givenParameters(call: string, given: unknown): Filled {
  if (given === undefined) return {};
  if (!isRecord(given))
    throw new TypeError(`${call}: parameters must be named, as { rate: 0.01 }, got ${describe(given)}.`);
  for (const [name, value] of Object.entries(given)) checkKept(call, `parameters.${name}`, value, []);
  return { parameters: { ...parametersAround(), ...textsOf(given) } };
}

function toldByMachine(): Filled {
  const folder = notebookFolder();
  const lock = lockFileAbove(folder);
  const { label } = nativeDevice();
  return {
    mpslabVersion: packageManifest().version,
    torchVersion: native.version,
    torchBuild: torchBuildOf(native.version),
    nodeVersion: process.versions.node,
    lockFile: lock === null ? null : path.relative(folder, lock.file),
    lockFileSha256: lock?.sha256 ?? null,
    ...commitOf(folder),
    ...computer(),
    device: label,
    simulated: label.includes("simulated"),
    fallbackEnabled: fallsBack(),
    threads: native.getNumThreads(),
    deterministicAlgorithms: native.deterministicAlgorithms() === "on",
    variables: tellingVariables(process.env),
    // As text, because a seed may exceed 2^53.
    seed: String(initialSeed()),
  };
}

/** The last loop of the session, its first epoch apart from the steady ones. */
function toldByLedger(epochs: readonly EpochRecord[]): Filled {
  const last = epochs.at(-1);
  if (last === undefined) return {};
  const loop = epochs.filter((record) => record.loop === last.loop);
  const whole = loop.filter((record) => !record.first && !record.cut);
  // After a pause by the debugger an epoch begins with cold caches, so it is left out.
  const paused = whole.filter(({ pausedMs = 0 }) => pausedMs > 0);
  const steady = paused.length < whole.length ? whole.filter((record) => !paused.includes(record)) : whole;
  const pausedText = paused.map(({ epoch }) => `, epoch ${epoch} paused`).join("");
  const counted = loop.every((record) => record.fallbacks !== null);
  return {
    peakBytes: loop.reduce((max, { before }) => Math.max(max, before.peakBytes), 0),
    fallbacks: counted ? loop.reduce((sum, record) => sum + (record.fallbacks ?? 0), 0) : null,
    epochWindow:
      steady.length === 0
        ? null
        : `loop ${last.loop}, epochs ${steady[0]!.epoch} to ${steady.at(-1)!.epoch}, first epoch apart${pausedText}${last.cut ? `, epoch ${last.epoch} cut` : ""}`,
    metrics: metricsOf(loop.findLast((record) => !record.cut)),
    steadyEpochMs: steady.length === 0 ? null : spreadOf(steady.map(({ wallMs }) => wallMs)).median,
  };
}

/** What `lab.log` recorded in an epoch, `{ loss: "0.312" }`; null if it recorded nothing. */
function metricsOf(record: EpochRecord | undefined): Readonly<Record<string, string>> | null {
  const metrics = Object.entries(record?.metrics ?? {});
  if (metrics.length === 0) return null;
  return Object.fromEntries(metrics.map(([name, value]) => [name, String(Number(value.toPrecision(6)))]));
}

/** Adds fields from the run's own results: a sweep's peak, and the dtypes of the tensors that parity compared. */
function withResults(ledgerFields: Filled, results: Readonly<Record<string, unknown>>): Filled {
  const sweep = resultOfKind(results, "sweep") as SweepResult | undefined;
  const parity = resultOfKind(results, "parity") as Parity | undefined;
  const peaks = (sweep?.points ?? []).flatMap(({ memory, remote }) =>
    memory === null || remote !== undefined ? [] : [memory.peakBytes],
  );
  const ofLedger = ledgerFields.peakBytes;
  if (typeof ofLedger === "number") peaks.push(ofLedger);
  const dtypesOf = (group: ParityGroup): string | null =>
    [...new Set((parity?.tensors ?? []).filter((one) => one.group === group).map(({ dtype }) => dtype))]
      .toSorted()
      .join(", ") || null;
  return {
    ...ledgerFields,
    peakBytes: peaks.length === 0 ? null : Math.max(...peaks),
    convolutionWeightsDtype: dtypesOf("convolution weights"),
    normStatisticsDtype: dtypesOf("norm statistics"),
  };
}

/** Returns the fields that follow from what the user gave. */
function lookedUp({ dataset, cachePath }: Filled): Filled {
  const file = typeof dataset === "string" ? path.resolve(dataset) : null;
  const sha256 = file === null ? null : sha256Of(file);
  const cache = typeof cachePath === "string" ? path.resolve(cachePath) : null;
  return {
    ...(sha256 === null ? {} : { datasetSha256: sha256 }),
    mountType: cache !== null && existsSync(cache) ? mountTypeOf(cache) : null,
  };
}

const KINDS: Record<string, readonly [string, (value: unknown) => boolean]> = {
  string: ["a string", (value) => typeof value === "string"],
  boolean: ["true or false", (value) => typeof value === "boolean"],
  number: ["a number", (value) => typeof value === "number" && Number.isFinite(value) && value >= 0],
  strings: [
    "a list of strings",
    (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
  ],
};

function toldByUser(call: string, given: RunGiven): Filled {
  const told: Filled = {};
  for (const field of GIVEN) {
    const value = given[field];
    if (value === undefined || value === null) continue;
    const { kind } = FIELDS[field];
    if (kind === "integer") {
      checkInteger(call, field, value, field === "workers" ? 0 : 1);
    } else {
      const [wanted, fits] = KINDS[kind]!;
      if (!fits(value)) throw new TypeError(`${call}: ${field} must be ${wanted}, got ${describe(value)}.`);
    }
    told[field] = value as FieldValue;
  }
  return told;
}
