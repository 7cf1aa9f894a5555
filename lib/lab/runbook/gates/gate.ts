// Declares a gate, and the facts by which gates are judged.
import type { Computer } from "../../core/system_info.ts";
import type { Decision } from "../decide/decide.ts";
import type { Evidence } from "../evidence.ts";
import type { MemorySample } from "../../../records/epochs.ts";

export type GateStatus = "pass" | "fail" | "not applicable" | "not run";

export interface Gate {
  /** The step of the runbook, 1 to 5; null for a condition of the machine. */
  readonly step: number | null;
  readonly name: string;
  readonly status: GateStatus;
  /** Facts, each with the record of this run that it comes from. */
  readonly evidence: readonly string[];
  /** The next action; null if there is nothing to do. */
  readonly action: string | null;
}

export interface Gates {
  readonly gates: readonly Gate[];
  /** Whether throughput may be quoted: needs proof of arm64, device log, batch sweep and memory curve. */
  readonly quotable: boolean;
  readonly notQuotableFor: readonly string[];
}

export interface MatmulProbe {
  readonly device: string;
  readonly resultDevice: string;
  /** Largest difference from the CPU's product, as a share of its largest element. */
  readonly error: number;
  readonly tolerance: number;
  readonly wallMs: number;
}

/** The facts that gates need about the session and the machine. */
export interface GateFacts {
  readonly computer: Computer;
  readonly torchVersion: string;
  readonly torchBuild: "stable" | "nightly";
  /** The device, for example `mps (simulated)`. */
  readonly device: string;
  readonly mpsBuilt: boolean;
  readonly mpsAvailable: boolean;
  readonly matmul: MatmulProbe;
  readonly memory: MemorySample;
  readonly evidence: Evidence;
  /** The origin of each piece of evidence: `logbook run 1f0c...`. */
  readonly origins: Readonly<Partial<Record<keyof Evidence, string>>>;
  readonly decision: Decision;
}
