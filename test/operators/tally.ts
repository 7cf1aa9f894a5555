// Counts what became of many samples: how many pass, which operators fail, which names of PyTorch's are not public
// here.
import { readFileSync } from "node:fs";
import path from "node:path";
import { check } from "./check.ts";
import { lackingOn } from "./metal.ts";
import type { Sample, Unwritable } from "./samples.ts";

export const folder = path.resolve(import.meta.dirname.replace(/([\\/])dist(?=[\\/]test[\\/])/, ""));

/** `listed.json`: what is known not to pass, and why. It may only shrink. */
export interface Listed {
  readonly failing: Readonly<
    Record<string, { readonly samples: number; readonly inFixture: number; readonly reason: string }>
  >;
  /** PyTorch's functions without a public one of ours under their name. */
  readonly absent: readonly string[];
  /** Operators of which samples fail on simulated Metal beside those that fail on the CPU. */
  readonly simulatedMetal: Readonly<Record<string, { readonly samples: number; readonly reason: string }>>;
}

export const listed = JSON.parse(readFileSync(path.join(folder, "listed.json"), "utf8")) as Listed;

export class Tally {
  passed = 0;
  readonly operators = new Set<string>();
  /** Problems by entry of PyTorch's table. */
  readonly failing = new Map<string, string[]>();
  readonly absent = new Map<string, number>();
  readonly unwritable = new Map<string, number>();
  /** Samples that Metal cannot be asked, by what it lacks. */
  readonly lacking = new Map<string, number>();
  readonly #onMetal: boolean;

  /** @param device on which the samples' tensors are made */
  constructor(device: "cpu" | "mps" = "cpu") {
    this.#onMetal = device === "mps";
  }

  add(line: string): void {
    const sample = JSON.parse(line) as Sample | Unwritable;
    if ("unwritable" in sample) return count(this.unwritable, sample.unwritable);
    const verdict = check(sample);
    if (!verdict.public) return count(this.absent, sample.name);
    this.operators.add(sample.operator);
    if (verdict.problem === null) {
      this.passed++;
      return;
    }
    const lacking = this.#onMetal ? lackingOn(verdict.problem) : null;
    if (lacking !== null) return count(this.lacking, lacking);
    const problems = this.failing.get(sample.operator) ?? [];
    problems.push(`${sample.dtype}: ${verdict.problem}`);
    this.failing.set(sample.operator, problems);
  }

  /** Failing samples by operator. */
  get failures(): Record<string, number> {
    return Object.fromEntries([...this.failing].map(([operator, problems]) => [operator, problems.length]));
  }

  get failed(): number {
    return Object.values(this.failures).reduce((sum, samples) => sum + samples, 0);
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
