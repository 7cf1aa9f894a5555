// `mpslab report ID`: writes one page about one run of a logbook, or about several side by side, for a reader who has no
// Jupyter and no network.
import { dirname, resolve } from "node:path";
import { MAX_RUNS } from "../../../lib/record_charts/run_charts.ts";
import { runNames } from "../../../lib/record_charts/run_names.ts";
import { dataWithoutSecrets } from "../../../lib/secrets/json.ts";
import { LeftOutParts } from "../../../lib/secrets/left_out.ts";
import { runList } from "../logbook/list.ts";
import { findRun, type FoundRun, logbooks, minuteText, runsIn, shortId } from "../logbook/runs.ts";
import { makeFolder, requireNoWayOut, writeOutput } from "../output_files.ts";
import { CommandError } from "../project.ts";
import { pageHtml, paragraph, section } from "./page.ts";
import { runSections } from "./run_sections.ts";
import { say } from "../terminal.ts";

export interface RunsOptions {
  /** Ids or their beginnings; none lists the runs. */
  readonly ids: readonly string[];
  /** Logbooks to look into. Default: those of this folder, and of the folders in it. */
  readonly logbooks: readonly string[];
  /** The page's file. Default: `output/report-ID.html`. */
  readonly output?: string | undefined;
  /** Options of `mpslab rerun`: they find the cells that ran. */
  readonly notebook?: string | undefined;
  readonly repository?: string | undefined;
}

/** Resolves with the exit status. */
export async function reportRuns({
  ids,
  logbooks: asked,
  output,
  notebook,
  repository,
}: RunsOptions): Promise<number> {
  const runs = runsIn(logbooks(asked));
  if (ids.length === 0) {
    say(runList(runs, "mpslab report ID writes a page of one, mpslab report ID ID of several."));
    return 0;
  }
  if (ids.length > MAX_RUNS)
    throw new CommandError(`${ids.length} runs cannot be told apart on a chart: name at most ${MAX_RUNS}.`);
  const leftOut = new LeftOutParts();
  const found = ids.map((id) => withoutSecretsOf(findRun(id, runs, "mpslab report"), leftOut));
  const twice = found.find(({ run }, at) => found.findIndex((other) => other.run.id === run.id) < at);
  if (twice !== undefined)
    throw new CommandError(`The run ${shortId(twice.run)} is named twice: name it once.`);
  const file = resolve(output ?? `output/report-${found.map(({ run }) => shortId(run)).join("-")}.html`);
  const sections = await runSections(found, { notebook, repository });
  if (output === undefined) requireNoWayOut(dirname(file), "name the file that you mean with --output FILE");
  makeFolder(dirname(file), "name another file with --output FILE");
  const sentence = leftOut.sentence();
  if (sentence !== null) sections.push(section("What was left out", [paragraph(sentence)]));
  writeOutput(
    file,
    [pageHtml({ ...headOf(found), sections })],
    output === undefined ? "replaced" : "followed",
  );
  say(`report: ${file}\n`);
  return 0;
}

/** The logbook already has no secrets, unless another program or an earlier version wrote it. */
function withoutSecretsOf({ logbook, run }: FoundRun, leftOut: LeftOutParts): FoundRun {
  return { logbook, run: dataWithoutSecrets(run, leftOut) };
}

function headOf(found: readonly FoundRun[]): { readonly title: string; readonly lead: string } {
  const runs = found.map(({ run }) => run);
  const [first] = runs;
  if (runs.length === 1)
    return {
      title: first!.name,
      lead: `Run ${shortId(first!)} ${originText(first!)}`,
    };
  return {
    title: `${runs.length} runs: ${runNames(runs).join(" | ")}`,
    lead: runs.map((run) => `${shortId(run)} ${originText(run)}`).join("; "),
  };
}

/** `of 2026-11-26 03:10 UTC, on mps, Apple M3` */
function originText({ at, fields }: FoundRun["run"]): string {
  const processor = String(fields.processor ?? "an unknown processor");
  return `of ${minuteText(at)} UTC, on ${String(fields.device)}, ${processor}`;
}
