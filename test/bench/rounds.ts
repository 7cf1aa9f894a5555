// Side-by-side timing: contestants run in turn (A B A B ...), each trial in a process of its own, and what is
// reported is the median of each and their ratio. The machine is noisy; an absolute time proves nothing.
import { spawn } from "node:child_process";

/** Figures of one trial by name, all in the unit that the suite states. */
export type Figures = Readonly<Record<string, number>>;

export interface Contestant {
  readonly name: string;
  trial(): Promise<Figures>;
}

export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export type Results = ReadonlyMap<string, ReadonlyMap<string, Summary>>;

/** @returns a summary by contestant and figure */
export async function takeTurns(contestants: readonly Contestant[], rounds: number): Promise<Results> {
  const figures = new Map<string, Map<string, number[]>>(contestants.map(({ name }) => [name, new Map()]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, trial } of contestants) {
      process.stderr.write(`  round ${round + 1}/${rounds}: ${name}\n`);
      for (const [figure, value] of Object.entries(await trial())) {
        const values = figures.get(name)!.get(figure);
        if (values) values.push(value);
        else figures.get(name)!.set(figure, [value]);
      }
    }
  }
  return new Map(
    [...figures].map(([name, byFigure]) => [
      name,
      new Map([...byFigure].map(([figure, values]) => [figure, summarize(values)])),
    ]),
  );
}

export function summarize(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}

export function geometricMean(ratios: readonly number[]): number {
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}

/** Runs a program that prints its figures as the last line, in JSON. */
export function runProgram(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Figures> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    let output = "";
    let errors = "";
    child.stdout.on("data", (text) => (output += text));
    child.stderr.on("data", (text) => (errors += text));
    child.on("error", reject);
    child.on("close", (status) => {
      if (status !== 0)
        reject(new Error(`${command} ${args.join(" ")} ended with status ${status}:\n${errors}`));
      else resolve(JSON.parse(output.trim().split("\n").at(-1)!) as Figures);
    });
  });
}
