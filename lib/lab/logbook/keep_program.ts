// Gathers what a session has run when it records a run, and keeps it beside the logbook: cells, patch, files, lock.
import { readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { formatBytes } from "../../units.ts";
import { installedSession, notebookFolder, runningCell, sessionEnvironment } from "../../session.ts";
import { isOfLogbook, keepBytes } from "../../records/logbook/kept_files.ts";
import { bytesWithoutSecrets, FileKeeper, slashes } from "./file_keeper.ts";
import { namedFiles } from "./named_files.ts";
import { lockFileAbove } from "../../records/logbook/origin.ts";
import type { KeptProgram, Program } from "../../records/logbook/program.ts";
import { machine } from "./replay_record.ts";
import { dataWithoutSecrets } from "../../secrets/json.ts";
import { LeftOutParts } from "../../secrets/left_out.ts";
import { redact } from "../../secrets/redact.ts";
import { tellingVariables } from "./variables.ts";
import { patchOf, untrackedFiles, workingTreeOf } from "../../records/logbook/working_tree.ts";

/** A longer patch is not kept: the user should commit it. */
const MAX_PATCH_BYTES = 4 * 2 ** 20;

/**
 * Keeps what ran; null outside a session, where nothing is known of cells.
 *
 * @throws Error if a file cannot be written, saying where it is
 */
export function keepProgram(call: string, logbook: string): KeptProgram | null {
  const session = installedSession();
  if (session === null) return null;
  const folder = realpathSync(notebookFolder());
  const tree = workingTreeOf(folder);
  const notes: string[] = [];
  const leftOut = new LeftOutParts();
  const keeper = new FileKeeper(call, logbook, tree, notes, leftOut);

  const imported = session.importedFiles();
  const written = [...session.cells()];
  const named = namedFiles(written.map(([, text]) => text).concat(imported.map(textOf)), folder);
  const untracked = untrackedFiles(tree)
    .map((file) => path.join(tree.root, file))
    .filter((file) => !isOfLogbook(logbook, file));
  const cells = written.map(([count, source]) => {
    const text = leftOut.of(`cell [${count}]`, redact(source, "cell"));
    return { count, text, ...(text === source ? {} : { leftOut: true as const }) };
  });
  // Imported files are left out: for code that was edited meanwhile, the session knows which version it imported last.
  keeper.noteChanged([...named, ...untracked].filter((file) => !imported.includes(file)));
  if ((cells[0]?.count ?? 1) > 1)
    notes.push(
      `Cells before [${cells[0]!.count}] are not known: an earlier session ran them, or the session keeps the latest thousand.`,
    );
  const name = path.basename(process.env["JPY_SESSION_NAME"] ?? "");
  const lock = lockFileAbove(folder);
  const program: Program = {
    notebook: name.endsWith(".ipynb") ? name : null,
    folder: slashes(path.relative(tree.root, folder)),
    cells,
    recordedBy: numberOf(runningCell(), cells),
    machine: machine(),
    // A variable with a harmless name may still hold a password, for example within an address.
    environment: dataWithoutSecrets(tellingVariables(sessionEnvironment()), leftOut),
    patch: keptPatch(call, logbook, patchOf(tree), notes, leftOut),
    files: keeper.keepAll([...imported, ...named, ...untracked]),
    lock:
      lock === null
        ? null
        : {
            lockFile: keeper.keepLock(lock.file),
            manifest: keeper.keepIfThere(path.join(path.dirname(lock.file), "package.json")),
          },
    notes,
  };
  const sentence = leftOut.sentence();
  if (sentence !== null) notes.push(sentence);
  const text = `${JSON.stringify(program, null, 1)}\n`;
  return {
    sha256: keepBytes(call, logbook, Buffer.from(text)),
    cells: cells.length,
    notebook: program.notebook,
  };
}

/**
 * `Cell [3]` -> 3. Null if that cell is not among the kept ones, or does not mention the logbook: a cell without a
 * number has its predecessor's.
 */
function numberOf(cell: string | null, cells: Program["cells"]): number | null {
  const count = Number(/\[(\d+)\]/.exec(cell ?? "")?.[1] ?? Number.NaN);
  const found = cells.find((one) => one.count === count);
  return found?.text.includes("logbook") === true ? count : null;
}

function keptPatch(
  call: string,
  logbook: string,
  patch: Buffer | null,
  notes: string[],
  parts: LeftOutParts,
): Program["patch"] {
  if (patch === null) {
    notes.push("The patch against the commit is not kept: git did not answer, or the patch is too large.");
    return null;
  }
  if (patch.length === 0) return null;
  if (patch.length > MAX_PATCH_BYTES) {
    notes.push(
      `The patch against the commit has ${formatBytes(patch.length)}, and is not kept: commit first.`,
    );
    return null;
  }
  const { bytes, leftOut } = bytesWithoutSecrets(patch, "the patch", "patch", parts);
  return { kept: keepBytes(call, logbook, bytes), bytes: bytes.length, ...(leftOut && { leftOut }) };
}

/** Empty if the file was deleted after it was imported. */
function textOf(file: string): string {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file, "utf8") : "";
}
