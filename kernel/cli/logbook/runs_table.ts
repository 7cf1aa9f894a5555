// `mpslab runs`: prints runs of logbooks as a table, sorted and filtered by parameters, metrics and results.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { valueText } from "../../../lib/records/parameters.ts";
import { variablesOf } from "../../../lib/records/logbook/fields.ts";
import { runRows, type RowValue, type RunRow } from "../../../lib/records/logbook/run_rows.ts";
import { recordsTable } from "../../../lib/views/records.ts";
import { tableText } from "../../../lib/views/table.ts";
import { counted } from "../../../lib/words.ts";
import { visibleLine } from "../../../lib/visible.ts";
import { CommandError } from "../project.ts";
import { readSweptFolder } from "../report/swept_folder.ts";
import { complain, say } from "../terminal.ts";
import { writeMlflow } from "./mlflow.ts";
import { type FoundRun, logbooks, minuteText, runsIn, shortId, shownPath } from "./runs.ts";

export interface RunsTableOptions {
  /** Logbooks, and folders of `mpslab papermill`. Default: the logbooks of this folder, and of the folders in it. */
  readonly logbooks: readonly string[];
  readonly sort?: string | undefined;
  readonly ascending?: boolean | undefined;
  /** `rate < 0.01`; a run must fit all of them. */
  readonly where: readonly string[];
  /** A folder for MLflow's files. */
  readonly mlflow?: string | undefined;
}

interface ShownRun {
  readonly found: FoundRun;
  readonly row: RunRow;
}

/** Returns the exit status. */
export function tableOfRuns({ logbooks: asked, sort, ascending, where, mlflow }: RunsTableOptions): number {
  const folders = asked.filter((name) => statSync(name, { throwIfNoEntry: false })?.isDirectory() === true);
  const files = asked.filter((name) => !folders.includes(name));
  const inLogbooks = files.length > 0 || asked.length === 0 ? runsIn(logbooks(files)) : [];
  const all = [...inLogbooks, ...folders.flatMap(runsOfSweep)];
  const rows = runRows(all.map(({ run }) => run));
  let runs: ShownRun[] = all.map((found, at) => ({ found, row: rows[at]! }));
  const names = Object.keys(rows[0] ?? {});
  const first = new Set(["name", ...(sort === undefined ? [] : [sort])]);
  for (const condition of where) {
    const { name, fits } = conditionOf(condition, names);
    first.add(name);
    runs = runs.filter(({ row }) => fits(row));
  }
  if (sort !== undefined) runs = sorted(runs, requireName(sort, names), ascending === true);
  const records = runs.map(({ found: { run }, row: { at: _at, id: _id, ...values } }) => ({
    id: shortId(run),
    "when (UTC)": minuteText(run.at),
    ...Object.fromEntries(
      [...first, ...Object.keys(values)]
        .filter((name) => name in values)
        .map((name) => [name, values[name]!] as const)
        .map(([name, value]) => [visibleLine(name), typeof value === "string" ? visibleLine(value) : value]),
    ),
  }));
  const caption =
    runs.length < all.length ? `${runs.length} of ${counted(all.length, "run")}` : counted(all.length, "run");
  say(`${records.length === 0 ? caption : tableText(recordsTable(records, { caption }))}\n`);
  if (mlflow !== undefined) {
    const folder = resolve(mlflow);
    writeMlflow(
      folder,
      runs.map(({ found }) => found),
    );
    say(`MLflow's files of ${counted(runs.length, "run")}: ${folder}\n`);
  }
  return 0;
}

/** The points whose sessions told of themselves, with what their cells tagged `result` showed. */
function runsOfSweep(name: string): FoundRun[] {
  const { folder, points } = readSweptFolder(resolve(name));
  const silent = points.filter(({ run }) => run === null).map(({ number }) => number);
  if (silent.length > 0)
    complain(
      `${visibleLine(shownPath(folder))}: ${counted(silent.length, "point")} of ${points.length} have no run: ${silent.join(", ")}; mpslab report ${visibleLine(name)} says why.\n`,
    );
  return points.flatMap(({ run, point, record }): FoundRun[] => {
    if (run === null) return [];
    const parameters = Object.fromEntries(
      Object.entries(point).map(([key, value]) => [key, valueText(value)]),
    );
    const fields = { ...run.fields, parameters: { ...variablesOf(run.fields.parameters), ...parameters } };
    return [{ logbook: folder, run: { ...run, fields, results: { ...run.results, ...record?.results } } }];
  });
}

const CONDITION = /^\s*(.+?)\s*(<=|>=|!=|==|=|<|>)\s*(.+?)\s*$/;

const COMPARISONS: Readonly<Record<string, (a: number | string, b: number | string) => boolean>> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "=": (a, b) => a === b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
};

/** A run that does not know the name fits no condition on it. */
function conditionOf(
  text: string,
  names: readonly string[],
): { readonly name: string; readonly fits: (row: RunRow) => boolean } {
  const [, name = "", sign = "", wanted = ""] = CONDITION.exec(text) ?? [];
  if (sign === "")
    throw new CommandError(
      `--where takes a name, a comparison and a value, as "rate < 0.01", not ${JSON.stringify(text)}.`,
    );
  const known = requireName(name, names);
  const plain = wanted.replace(/^(["'])(.*)\1$/, "$2");
  const compare = COMPARISONS[sign]!;
  const fits = ({ [known]: value }: RunRow): boolean => {
    if (value === null || value === undefined) return false;
    if (typeof value !== "number") return compare(String(value), plain);
    if (Number.isNaN(Number(plain)) && plain !== "NaN")
      throw new CommandError(`${known} is a number, and ${JSON.stringify(wanted)} in --where is none.`);
    return compare(value, Number(plain));
  };
  return { name: known, fits };
}

function requireName(name: string, names: readonly string[]): string {
  if (names.includes(name)) return name;
  throw new CommandError(
    `No run has a value ${visibleLine(name)}; ${names.length === 0 ? "there are no runs" : `there are ${names.map(visibleLine).join(", ")}`}.`,
  );
}

/** Runs that do not know the value come last. */
function sorted(runs: readonly ShownRun[], name: string, ascending: boolean): ShownRun[] {
  const sign = ascending ? 1 : -1;
  const isMissing = (value: RowValue | undefined): boolean =>
    value === null || value === undefined || Number.isNaN(value);
  return runs.toSorted(({ row: { [name]: a } }, { row: { [name]: b } }) => {
    if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
    return a! < b! ? -sign : a! > b! ? sign : 0;
  });
}
