// `npm run test:operators -- programs`: small programs, each written in Python and in TypeScript, run in both. What
// PyTorch in `.venv-bench` answers is written to `programs/results.json`, which `npm test` compares with.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { torch } from "../../lib/index.ts";
import { makePeers, peerPython } from "../bench/environment.ts";
import { type Results, resultsFile, subjects } from "./programs/subjects.ts";
import { problemsOf } from "./programs/verdicts.ts";

// Sums are then added up in the same order on both sides.
torch.setNumThreads(1);
makePeers(torch.version);
const recorder = path.join(path.dirname(resultsFile), "record.py");
const answer = execFileSync(peerPython, [recorder, ...Object.keys(subjects)], {
  encoding: "utf8",
  maxBuffer: 2 ** 28,
  stdio: ["ignore", "pipe", "inherit"],
});
const results = JSON.parse(answer) as Results;
writeFileSync(resultsFile, `${written(results)}\n`);

const problems: string[] = [];
for (const [subject, programs] of Object.entries(subjects))
  problems.push(...(await problemsOf(subject, programs, results[subject]!)));
for (const problem of problems) console.error(problem);
const count = Object.values(subjects).reduce((sum, programs) => sum + Object.keys(programs).length, 0);
console.log(`${count} programs in ${Object.keys(subjects).length} subjects, ${problems.length} problems.`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** One line for each program, so that a change shows what changed. */
function written(all: Results): string {
  const block = (entries: readonly (readonly [string, string])[], indent: string) =>
    `{\n${entries.map(([name, text]) => `${indent}  ${JSON.stringify(name)}: ${text}`).join(",\n")}\n${indent}}`;
  const lines = Object.entries(all).map(([subject, programs]) => {
    const each = Object.entries(programs).map(([name, outcome]) => [name, JSON.stringify(outcome)] as const);
    return [subject, block(each, "  ")] as const;
  });
  return block(lines, "");
}
