// A study of Optuna in a process of its own, which chooses the parameters of each trial and says which trial to end early. Knows
// nothing of what a trial computes.
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { PACKAGE_ROOT } from "../../installation/package.ts";
import { pythonWith } from "../../installation/python_with.ts";
import type { Distribution } from "./space.ts";

const DRIVER = path.join(PACKAGE_ROOT, "lib", "lab", "search", "optuna_driver.py");

type Parameters = Readonly<Record<string, string | number | boolean | null>>;

/** `fail`: it gave no number. */
export type TrialState = "complete" | "pruned" | "fail";

/** What a study is asked to do. */
export interface StudyPlan {
  readonly name: string;
  readonly direction: "minimize" | "maximize";
  readonly sampler: "tpe" | "random";
  readonly pruner: "median" | "hyperband" | "none";
  readonly seed: number;
  /** A file that keeps the trials, from which a later study of that name goes on; null for none. */
  readonly journal: string | null;
}

export interface FinishedTrial {
  readonly number: number;
  readonly parameters: Parameters;
  readonly state: TrialState;
  /** Null where it gave no number. */
  readonly value: number | null;
  /** How many values it reported. */
  readonly steps: number;
  readonly seconds: number;
}

/** @throws Error where no Python has Optuna */
function optunaPython(call: string, environment: NodeJS.ProcessEnv = process.env): string {
  const { MPSLAB_OPTUNA_PYTHON: named } = environment;
  const { python, tried } = pythonWith("optuna", named, environment);
  if (python !== null) return python;
  throw new Error(
    named
      ? `${call}: MPSLAB_OPTUNA_PYTHON is ${named}, which has no Optuna: name a Python with Optuna, or install it there by ${named} -m pip install optuna.`
      : `${call} needs Optuna, and no Python here has it (${tried.join(", ")}): install it by ${tried[0]} -m pip install optuna, or name a Python that has it in MPSLAB_OPTUNA_PYTHON.`,
  );
}

export class Study {
  readonly #call: string;
  readonly #driver: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  #lastWords = "";

  /** @param call for errors @throws Error where no Python has Optuna */
  constructor(call: string) {
    this.#call = call;
    this.#driver = spawn(optunaPython(call), [DRIVER], { stdio: "pipe" });
    // Its end is reported where an answer is missing.
    this.#driver.on("error", () => {});
    this.#driver.stdin!.on("error", () => {});
    this.#driver.stderr!.on("data", (text: Buffer) => (this.#lastWords = String(text)));
    this.#answers = createInterface({ input: this.#driver.stdout! })[Symbol.asyncIterator]();
  }

  /** Begins the study, or goes on with the journal's. */
  open(
    space: Readonly<Record<string, Distribution>>,
    { sampler, pruner, ...plan }: StudyPlan,
  ): Promise<{ readonly version: string; readonly before: readonly FinishedTrial[] }> {
    return this.#ask("open", { ...plan, space, sampler_name: sampler, pruner_name: pruner });
  }

  /** The next trial. */
  ask(): Promise<{ readonly number: number; readonly parameters: Parameters }> {
    return this.#ask("ask", {});
  }

  /** Whether the trial should end here. */
  async report(number: number, value: number, step: number): Promise<boolean> {
    const { stop } = await this.#ask<{ readonly stop: boolean }>("report", { number, value, step });
    return stop;
  }

  async tell(number: number, value: number | null, state: TrialState): Promise<void> {
    await this.#ask("tell", { number, value, state });
  }

  /** The process ends when it has answered what it was asked. */
  close(): void {
    this.#driver.stdin!.end();
  }

  async #ask<Answer>(call: string, given: object): Promise<Answer> {
    this.#driver.stdin!.write(`${JSON.stringify({ call, arguments: given })}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) {
      const why = this.#lastWords.trim().split("\n").at(-1)!;
      throw new Error(`${this.#call}: the process that runs Optuna ended${why === "" ? "." : `: ${why}`}`);
    }
    const answer = JSON.parse(value) as Answer & { readonly error?: string };
    if (answer.error !== undefined) throw new Error(`${this.#call}: Optuna refuses it: ${answer.error}`);
    return answer;
  }
}
