// Lists the runs of logbooks as a table, one line each: what `mpslab rerun` and `mpslab report` print without an id.
import { columns, tableText } from "../../../lib/views/table.ts";
import { fieldText } from "../../../lib/records/logbook/diff.ts";
import { visibleLine } from "../../../lib/visible.ts";
import { counted } from "../../../lib/words.ts";
import { type FoundRun, minuteText, shortId, shownPath } from "./runs.ts";

const MAX_RUNS = 50;

/** The newest runs, with the newest in the last line. */
export function runList(runs: readonly FoundRun[], hint: string): string {
  const shown = runs.slice(-MAX_RUNS);
  const haveParameters = shown.some(({ run }) => (run.fields.parameters ?? null) !== null);
  const parameters = haveParameters ? ["<<parameters"] : [];
  const rows = shown.map(({ logbook, run }) => [
    shortId(run),
    minuteText(run.at),
    run.name,
    ...(haveParameters ? [visibleLine(fieldText("parameters", run.fields.parameters ?? {}))] : []),
    run.program === undefined ? "fields alone" : counted(run.program.cells, "cell"),
    run.program?.notebook ?? "",
    shownPath(logbook),
  ]);
  const notes = [
    ...(shown.length < runs.length ? [`The newest ${MAX_RUNS} of ${runs.length} runs.`] : []),
    ...(shown.some(({ run }) => run.program === undefined)
      ? ["Runs with fields alone were recorded by an earlier version, or outside a notebook."]
      : []),
    hint,
  ];
  const caption = runs.length === 1 ? "1 run" : `${runs.length} runs`;
  return `${tableText({
    caption,
    columns: columns("<id", "<when (UTC)", "<name", ...parameters, "<kept", "<notebook", "<logbook"),
    rows,
    notes,
  })}\n`;
}
