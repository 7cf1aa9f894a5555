// Finds the type errors of local files that a cell imports: the cell is stopped by them as by its own. The checker is
// asked again only after one of the files has changed.
import path from "node:path";
import type { Problem } from "./advice/trials.ts";
import type { CellModule, Notebook } from "./notebook.ts";
import { cellDiagnostics, type Diagnostic, type ServerDiagnostic } from "./diagnostics.ts";
import type { LocalFile } from "./server/folder_files.ts";

/** The file of an error outside of the cell: its path relative to the notebook's folder, `./model.ts`. */
export interface FileSource {
  readonly name: string;
  readonly text: string;
}

export interface FileDiagnostic extends Diagnostic {
  readonly file: FileSource;
}

export interface AskingAboutFiles {
  /** The checker's errors of the file at a path. */
  errors(file: string): Promise<readonly ServerDiagnostic[]>;
  /** The errors that the file would have with this text. */
  errorsOf(file: string, text: string): Promise<readonly ServerDiagnostic[]>;
  /** The file is checked with its own text again. */
  forget(file: string): void;
  /** The problems with an advice for each, tried in the file's place. */
  advised(
    text: string,
    problems: readonly Problem[],
    diagnose: (text: string) => Promise<readonly Problem[]>,
  ): Promise<readonly Diagnostic[]>;
}

export class LocalFiles {
  readonly #directory: string;
  #known: { readonly stamps: string; readonly found: readonly FileDiagnostic[] } | null = null;

  /** @param directory the notebook's folder */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The checker has another configuration: what it found before may be wrong now. */
  forget(): void {
    this.#known = null;
  }

  /**
   * @param files all files that the cell's imports lead to: a change in one may cause an error in another
   * @param asking asks the checker
   */
  async problems(
    files: readonly LocalFile[],
    asking: AskingAboutFiles,
    options: { readonly notebook: Notebook; readonly implicitAny: boolean },
  ): Promise<readonly FileDiagnostic[]> {
    if (files.length === 0) return [];
    const stamps = files.map((file) => `${file.path}\0${file.modifiedMs}`).join("\n");
    if (this.#known?.stamps === stamps) return this.#known.found;
    const found: FileDiagnostic[] = [];
    for (const { path: file, text } of files) {
      const asked = await asking.errors(file);
      // A file that does not parse makes its import fail, and that error names the place.
      if (asked.some(({ code = 0 }) => isSyntaxError(code))) continue;
      const source = { name: nameFrom(this.#directory, file), text };
      const problemsOf = (written: string, errors: readonly ServerDiagnostic[]) =>
        cellDiagnostics(
          errors,
          { module: wholeModule(written), text: written, original: same, implicitAny: options.implicitAny },
          options.notebook,
        );
      const problems = problemsOf(text, asked);
      if (problems.length === 0) continue;
      const diagnose = async (written: string) => problemsOf(written, await asking.errorsOf(file, written));
      found.push(
        ...(await asking.advised(text, problems, diagnose)).map((problem) => ({ ...problem, file: source })),
      );
      asking.forget(file);
    }
    this.#known = { stamps, found };
    return found;
  }
}

const same = (offset: number): number => offset;

function wholeModule(text: string): CellModule {
  return { text, isJsx: false, cellStart: 0, cellEnd: text.length, reads: new Map(), lent: new Set() };
}

/** TypeScript numbers errors of its parser from 1000 on. */
function isSyntaxError(code: number): boolean {
  return code >= 1000 && code < 2000;
}

/** `/home/me/notes/model.ts` in `/home/me/notes`  ->  `./model.ts` */
function nameFrom(directory: string, file: string): string {
  const name = path.relative(directory, file).split(path.sep).join("/");
  return name.startsWith("../") ? name : `./${name}`;
}
