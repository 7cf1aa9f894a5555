// Makes the notebook that a rerun runs: the executed cells of the logbook in their order, with the outputs and tags that
// the given notebook has for them.
import { isDeepStrictEqual } from "node:util";
import type { Program, ProgramCell } from "../../../lib/records/logbook/program.ts";
import { isWithSecrets } from "../../../lib/secrets/kept_text.ts";
import { SKIP_TAG } from "../client/notebook_run.ts";
import { newCellId } from "../notebook/file.ts";
import { type CodeCell, hasTag, isProgram, type Notebook } from "../notebook/format.ts";
import type { KnownRun } from "../replay/agreement.ts";
import { ownMetadata } from "../replay/compared_cells.ts";
import { SKIPPED_TAG } from "../replay/output_difference.ts";
import { CommandError } from "../project.ts";

export interface ExecutedNotebook {
  readonly notebook: Notebook;
  /** What identifies the first run's results, besides its outputs. */
  readonly known: KnownRun | null;
  /** How many of its cells ran in the given notebook, and so have outputs to compare with. */
  readonly matched: number;
}

/**
 * @param given the notebook with its outputs; null where there is none
 * @throws CommandError for a cell whose secret was left out, and which the notebook does not have
 */
export function executedNotebook(program: Program, given: Notebook | null): ExecutedNotebook {
  const programs = given?.cells.filter(isProgram).filter((cell) => !hasTag(cell, SKIP_TAG)) ?? [];
  const matches = matchedCells(program, programs);
  const numbered = withRefusedCells(program.cells, programs);
  const cells = numbered
    .filter(({ text }) => text.trim() !== "")
    .map((cell): CodeCell => {
      const match = cell.refused ?? matches.get(cell.count);
      // In a bundle the notebook has lost the secret too.
      if (cell.leftOut === true && (match === undefined || match.source === cell.text))
        throw new CommandError(
          `Cell [${cell.count}] held a secret, which the logbook left out: give the notebook that has it, --notebook FILE.`,
        );
      const { metadata = {}, outputs = [] } = match ?? {};
      const records = cell.count === program.recordedBy;
      return {
        cell_type: "code",
        id: newCellId(),
        source: match?.source ?? cell.text,
        metadata: records ? recording(metadata) : metadata,
        outputs,
        execution_count: match === undefined ? null : cell.count,
      };
    });
  const notebook: Notebook = {
    metadata: given?.metadata ?? {},
    nbformat: 4,
    nbformat_minor: 5,
    cells,
  };
  const matched = [...matches.values()].filter(hasRun).length;
  return { notebook, known: knownRun(program.machine, given, programs, cellsOf(numbered, matches)), matched };
}

/**
 * A cell by its number. The session has no cell with the number of one that the type check refused, because it did not
 * run.
 */
interface NumberedCell extends ProgramCell {
  /** The notebook's cell of that number. */
  readonly refused?: CodeCell;
}

const MAX_MISSING = 200;
/** Even a session that has run for a year refuses fewer cells than this. */
const MAX_GAPS = 10_000;

/** Fills the gaps between numbers, because a kernel counts refused cells too, and outputs name cells by their numbers. */
function withRefusedCells(cells: readonly ProgramCell[], programs: readonly CodeCell[]): NumberedCell[] {
  const known = new Set(cells.map(({ count }) => count));
  const [earliest, last] = [cells[0]?.count ?? 1, cells.at(-1)?.count ?? 0];
  // The cells of an earlier session are not filled in: it may have run a thousand.
  const first = earliest > MAX_MISSING ? earliest : 1;
  const missing = Array.from({ length: last - first + 1 }, (_, at) => first + at).filter(
    (count) => !known.has(count),
  );
  if (missing.length > MAX_GAPS)
    throw new CommandError(
      `The logbook numbers ${cells.length} cells up to ${last}: it is no run of a session, which counts from one to the next.`,
    );
  const filled = missing.map((count) => {
    const refused = programs.find((cell) => cell.execution_count === count);
    const text = refused?.source ?? `// Cell [${count}] did not run, and is not known.`;
    return { count, text, ...(refused && { refused }) };
  });
  return [...cells, ...filled].toSorted((a, b) => a.count - b.count);
}

function hasRun(cell: CodeCell | undefined): boolean {
  return cell !== undefined && cell.execution_count !== null;
}

/**
 * The cell that records the run is not compared: its table shows the machine's load and an id, which are never the same
 * twice.
 */
function recording(metadata: CodeCell["metadata"]): CodeCell["metadata"] {
  return {
    ...metadata,
    tags: [...(metadata.tags ?? []), SKIPPED_TAG],
    mpslab: { replaySkip: "recorded the run", ...ownMetadata(metadata) },
  };
}

/**
 * Matches the notebook's cells with the numbers under which the run executed them: by number and text, or else by text
 * only, as in a notebook that has run again since.
 */
function matchedCells(program: Program, programs: readonly CodeCell[]): Map<number, CodeCell> {
  const matches = new Map<number, CodeCell>();
  const match = (fits: (cell: CodeCell, count: number) => boolean) => {
    const used = new Set(matches.values());
    for (const { count, text } of program.cells.filter((cell) => !matches.has(cell.count))) {
      const found = programs.find(
        (cell) => !used.has(cell) && isWithSecrets(cell.source, text) && fits(cell, count),
      );
      if (found === undefined) continue;
      matches.set(count, found);
      used.add(found);
    }
  };
  // Exact matches come first: the outputs of a cell that ran twice are those of its last execution, which no earlier
  // one may claim.
  match((cell, count) => cell.execution_count === count);
  match(() => true);
  return matches;
}

function cellsOf(
  numbered: readonly NumberedCell[],
  matches: ReadonlyMap<number, CodeCell>,
): (CodeCell | undefined)[] {
  return numbered.map(({ count, refused }) => refused ?? matches.get(count));
}

/** The notebook's fingerprint holds for the run if the run executed the notebook from top to bottom, on that machine. */
function knownRun(
  machine: Program["machine"],
  given: Notebook | null,
  programs: readonly CodeCell[],
  ran: readonly (CodeCell | undefined)[],
): KnownRun | null {
  const stored = given === null ? null : (ownMetadata(given.metadata).replay ?? null);
  const isWhole = ran.length === programs.length && programs.every((cell, at) => ran[at] === cell);
  const isUnknown = Object.keys(machine).length === 0;
  if (stored !== null && isWhole && (isUnknown || isDeepStrictEqual(stored.machine, machine))) return stored;
  return isUnknown ? null : { machine };
}
