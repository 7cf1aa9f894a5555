// What is wrong with the programs of a subject, given what PyTorch answered.
import { difference, type Outcome, run } from "./compare.ts";
import { differences, drawnByMkl } from "./differences.ts";
import type { Programs } from "./helpers.ts";
import { camel, type Results } from "./subjects.ts";

/** Returns one sentence for each program that is not as PyTorch has it, or that differs no longer. */
export async function problemsOf(
  subject: string,
  programs: Programs,
  recorded: Results[string],
  listed: Readonly<Record<string, string>> = differences,
): Promise<string[]> {
  const theirs = new Map(Object.entries(recorded).map(([name, outcome]) => [camel(name), outcome]));
  const names = Object.keys(programs);
  if (names.join() !== [...theirs.keys()].join())
    return [`${subject}: the programs of both languages differ: ${unpaired(names, [...theirs.keys()])}`];
  const problems: string[] = [];
  for (const [name, program] of Object.entries(programs)) {
    const place = `${subject}.${name}`;
    const found = differenceAt(place, await run(program), theirs.get(name)!);
    if (found !== null && !(place in listed)) problems.push(`${place}: ${found}`);
    if (found === null && place in listed) problems.push(`${place} is listed, and differs no longer`);
  }
  return problems;
}

const hasMkl = process.arch === "x64";

function differenceAt(place: string, ours: Outcome, theirs: Outcome): string | null {
  const isComparable = hasMkl || !drawnByMkl.includes(place) || "throws" in ours || "throws" in theirs;
  return isComparable ? difference(ours, theirs) : null;
}

function unpaired(ours: readonly string[], theirs: readonly string[]): string {
  const alone = [
    ...ours.filter((name) => !theirs.includes(name)),
    ...theirs.filter((name) => !ours.includes(name)),
  ];
  return alone.join(", ") || "their order";
}
