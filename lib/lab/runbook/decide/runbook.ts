// Holds the runbook's thresholds, rules and decision matrix, as data that a user can replace.
import { GROWTH_THRESHOLD } from "../../epochs/growth.ts";

/** Where the work runs. `mps` stands for the accelerator that was measured. */
export type Lane = "cpu" | "mps" | "mlx" | "remote";

export const LANES: readonly Lane[] = ["cpu", "mps", "mlx", "remote"];

export type FactName =
  | "improvement"
  | "utilization"
  | "growthOverTenEpochs"
  | "fallbacks"
  | "parityWithin"
  | "bitwiseParity"
  | "workload"
  | "mlxSpeedup"
  | "stoppingRule";

/** "Replace with your own measurements." All values except `mlxSpeedup` are fractions of one. */
export interface Thresholds {
  /** 1 - device step time / CPU step time. */
  readonly improvement: number;
  /** Device-busy time divided by wall time. */
  readonly utilization: number;
  /**
   * Growth of memory over ten flushed epochs, taken from the chart's verdict: growth of tensors, or of other memory of
   * the process.
   */
  readonly growth: number;
  /** How many times faster MLX must be to justify a second stack. */
  readonly mlxSpeedup: number;
}

export const THRESHOLDS: Thresholds = {
  improvement: 0.22,
  utilization: 0.18,
  growth: GROWTH_THRESHOLD.rise,
  mlxSpeedup: 1,
};

/** A bound is a number or the name of a threshold. */
export type Bound = number | keyof Thresholds;

export type Condition = { readonly fact: FactName } & (
  | { readonly is: string | boolean }
  | { readonly below: Bound }
  | { readonly above: Bound }
);

export interface Rule {
  readonly name: string;
  /** Conditions that must all hold. */
  readonly when: readonly Condition[];
  readonly lane: Lane;
  readonly action: string;
}

/**
 * The rules in order of precedence. The first rule that holds decides. A rule that cannot be judged leaves the verdict
 * open.
 */
export const RULES: readonly Rule[] = [
  {
    name: "stopping rule",
    when: [{ fact: "stoppingRule", is: true }],
    lane: "remote",
    action:
      "Stop tuning: rewrite those layers, move them to the CPU deliberately, take another framework, or move the heavy phase to hardware whose contract you trust.",
  },
  {
    name: "numeric parity",
    when: [
      { fact: "bitwiseParity", is: true },
      { fact: "parityWithin", is: false },
    ],
    lane: "remote",
    action: "Restrict MPS to preprocessing, or move training to CUDA or a redesigned MLX flow.",
  },
  {
    name: "growing memory",
    when: [{ fact: "growthOverTenEpochs", above: "growth" }],
    lane: "remote",
    action: "Suspect retained tensors, and plan a remote dedicated host.",
  },
  {
    name: "MLX-friendly inference",
    when: [
      { fact: "workload", is: "llm inference" },
      { fact: "mlxSpeedup", above: "mlxSpeedup" },
    ],
    lane: "mlx",
    action: "Serve it with MLX, and keep this session for training code.",
  },
  {
    name: "queues and services",
    when: [{ fact: "workload", is: "queue" }],
    lane: "remote",
    action: "Move long queues to a remote node, after a smoke window with the same memory plateau test.",
  },
  {
    name: "idle device",
    when: [
      { fact: "improvement", below: "improvement" },
      { fact: "utilization", below: "utilization" },
    ],
    lane: "mps",
    action: "Fix the data plane and the batch before widening the model.",
  },
  {
    name: "hotspots on fallback",
    when: [
      { fact: "improvement", below: "improvement" },
      { fact: "fallbacks", above: 0 },
    ],
    lane: "remote",
    action: "Document the operators' names, and choose MLX or a remote node.",
  },
  {
    name: "faster than the CPU",
    when: [{ fact: "improvement", above: 0 }],
    lane: "mps",
    action: "Train here; quote throughput with the batch sweep and the memory curve beside it.",
  },
  {
    name: "no faster than the CPU",
    when: [{ fact: "improvement", below: "improvement" }],
    lane: "cpu",
    action: "Stay on the CPU for this size of work.",
  },
];

export interface LaneDescription {
  readonly strength: string;
  readonly risk: string;
  readonly bestFor: string;
}

export type Matrix = Readonly<Record<Lane, LaneDescription>>;

export const MATRIX: Matrix = {
  cpu: { strength: "maximum compatibility", risk: "low ceiling", bestFor: "logic checks" },
  mps: {
    strength: "reuse of torch training code",
    risk: "operators, numerics, batch sensitivity",
    bestFor: "CV and small models on torch",
  },
  mlx: {
    strength: "strong on unified memory LLM paths",
    risk: "dual-stack maintenance",
    bestFor: "Apple-first inference stacks",
  },
  remote: {
    strength: "isolation and a shareable service level",
    risk: "operations and a network hop",
    bestFor: "queues and services around the clock",
  },
};
