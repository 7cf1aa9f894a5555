// Lists the fields of a run as data. Each has its section, its type, how to fill it if the machine cannot, and how
// likely it is the cause of a difference.

export type FieldValue =
  | string
  | number
  | boolean
  | readonly string[]
  | Readonly<Record<string, string>>
  | null;

/** A value by names: parameters, versions of packages, metrics. */
export type Variables = Readonly<Record<string, string>>;

export function isVariables(value: FieldValue | undefined): value is Variables {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The values by names; none for a field that is not known, or of a stranger's logbook is no such object. */
export const variablesOf = (value: FieldValue | undefined): Variables => (isVariables(value) ? value : {});

export type Section =
  | "parameters"
  | "versions"
  | "machine"
  | "environment"
  | "data"
  | "strategy"
  | "measured";

interface FieldDescription {
  readonly section: Section;
  readonly kind: "string" | "number" | "integer" | "boolean" | "strings" | "variables";
  /**
   * A sentence that says what to do if the field is null. For a field that only a person knows, it says how to give the
   * value.
   */
  readonly ask: string;
  /**
   * 0 to 10: how much of a difference between two runs this field has explained elsewhere. 0 is an effect, not a cause.
   * What the run was made to differ in comes first; then, as in the runbook, device, data, batch and power, and drift in
   * the environment before versions.
   */
  readonly suspicion: number;
}

const field = (
  section: Section,
  kind: FieldDescription["kind"],
  suspicion: number,
  ask: string,
): FieldDescription => ({ section, kind, suspicion, ask });

/** `batch: 64` */
const give = (example: string): string => `Give lab.logbook.record({ ${example} }).`;

/** Asks for the dtype of a model's tensors, which `lab.parity` also reads. */
const dtypeOf = (name: string): string =>
  `${give(`${name}: "float32"`)} Or results: { parity } of a model that has them.`;

export const FIELDS = {
  // As text, because JSON has no NaN.
  parameters: field(
    "parameters",
    "variables",
    10,
    give("parameters: { rate: 0.01 }") + " Or begin their cell with // Parameters, as papermill does.",
  ),
  optimizer: field("parameters", "variables", 10, "Train first: it is noticed."),

  mpslabVersion: field("versions", "string", 4, "Install the package with its package.json."),
  torchVersion: field("versions", "string", 7, "The addon names no version: build it again."),
  torchBuild: field("versions", "string", 7, "The addon names no version: build it again."),
  nodeVersion: field("versions", "string", 3, ""),
  lockFile: field("versions", "string", 2, "Keep a lock file beside the notebook or above it."),
  lockFileSha256: field("versions", "string", 5, "Keep a lock file beside the notebook or above it."),
  commit: field("versions", "string", 6, "Keep the notebook in a git repository."),
  uncommittedChanges: field("versions", "boolean", 4, "Keep the notebook in a git repository."),

  platform: field("machine", "string", 9, ""),
  architecture: field("machine", "string", 9, ""),
  rosetta: field("machine", "boolean", 10, "sysctl did not answer: ask sysctl -n sysctl.proc_translated."),
  osRelease: field("machine", "string", 5, ""),
  processor: field("machine", "string", 9, "The system does not name its processor."),
  cores: field("machine", "integer", 8, ""),
  memoryBytes: field("machine", "integer", 8, ""),
  device: field("machine", "string", 10, ""),
  simulated: field("machine", "boolean", 10, ""),
  powerAdapter: field("machine", "boolean", 8, give("powerAdapter: true")),
  lowPowerMode: field("machine", "boolean", 9, give("lowPowerMode: false")),
  thermalState: field("machine", "string", 8, give('thermalState: "nominal"')),
  loadPerCore: field("machine", "number", 6, "This system counts no load."),
  closedApps: field("machine", "strings", 4, give('closedApps: ["Zoom", "Chrome"]')),

  fallbackEnabled: field("environment", "boolean", 8, ""),
  threads: field("environment", "integer", 7, ""),
  variables: field("environment", "variables", 7, ""),

  dataset: field("data", "string", 9, give('dataset: "train.parquet"')),
  datasetSha256: field("data", "string", 10, give('dataset: "a file"') + " Of a folder give datasetSha256."),
  resolution: field("data", "string", 10, give('resolution: "224x224"')),
  batch: field("data", "integer", 10, give("batch: 64")),
  workers: field("data", "integer", 8, give("workers: 0")),
  seed: field("data", "string", 6, ""),
  workerSeeds: field("data", "string", 3, give('workerSeeds: "seed + worker id"')),
  deterministicAlgorithms: field("data", "boolean", 4, ""),
  cachePath: field("data", "string", 5, give('cachePath: "/data/cache"')),
  mountType: field("data", "string", 7, give('cachePath: "/data/cache"') + " Its mount is looked up."),
  networkRttMs: field(
    "data",
    "number",
    3,
    give("networkRttMs: 0.4") + " Of the artifact store, where there is one.",
  ),

  amp: field(
    "strategy",
    "string",
    9,
    "Train first: it is noticed. " + give('amp: "float16"') + ' "off" without.',
  ),
  convolutionWeightsDtype: field("strategy", "string", 8, dtypeOf("convolutionWeightsDtype")),
  normStatisticsDtype: field("strategy", "string", 8, dtypeOf("normStatisticsDtype")),
  reductionsDtype: field("strategy", "string", 8, give('reductionsDtype: "float32"')),
  checkpointing: field(
    "strategy",
    "boolean",
    9,
    "Train first: it is noticed. " + give("checkpointing: false"),
  ),
  accumulationSteps: field(
    "strategy",
    "integer",
    9,
    "Train first: it is noticed. " + give("accumulationSteps: 1"),
  ),

  epochWindow: field("measured", "string", 5, "Run an epoch loop of two epochs or more first."),
  steadyEpochMs: field("measured", "number", 0, "Run an epoch loop of two epochs or more first."),
  peakBytes: field("measured", "integer", 0, "Run an epoch loop first, or give results: { sweep }."),
  fallbacks: field(
    "measured",
    "integer",
    8,
    "Run an epoch loop first; on a Mac libtorch reports none under PYTORCH_ENABLE_MPS_FALLBACK=1, simulated Metal counts them.",
  ),
  // As text, because JSON has no NaN.
  metrics: field("measured", "variables", 0, "Call lab.log({ loss }) in an epoch loop first."),
} as const satisfies Record<string, FieldDescription>;

export type FieldName = keyof typeof FIELDS;

export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];
