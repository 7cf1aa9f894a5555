// Cells as the kernel answers them, without a kernel: parsed, checked, and each error with the advice that mends it.
import { stripVTControlCharacters } from "node:util";
import { type Bindings, commit, NO_BINDINGS } from "../../kernel/cell/analyze.ts";
import { compile } from "../../kernel/cell/compile.ts";
import { applied, type Edit } from "../../kernel/language/advice/advice.ts";
import { cellText, type LanguageService } from "../../kernel/language/service.ts";
import { CellStop, checkTypes, compileCell } from "../../kernel/shell/prepare.ts";

export interface AnsweredCell {
  /** The first error: `TypeCheckError: ...`, without its code frame. Null where the cell runs. */
  readonly error: string | null;
  /** The cell with the first advice applied; null without one. */
  readonly mended: string | null;
}

const SWITCHES = { flush: false, check: "error" };

export class AnsweredNotebook {
  readonly #language: LanguageService;
  readonly #directory: string;
  #bindings: Bindings = NO_BINDINGS;
  #count = 0;

  constructor(language: LanguageService, directory: string) {
    this.#language = language;
    this.#directory = directory;
  }

  /** A cell that runs, and leaves its names. */
  async run(code: string): Promise<void> {
    const { error, compiled } = await this.#prepare(code);
    if (error !== null || compiled === null) throw new Error(`The cell does not run: ${error}\n${code}`);
    const { declared } = compiled;
    this.#bindings = commit(
      this.#bindings,
      declared,
      new Set(declared.map(({ runtimeName }) => runtimeName)),
    );
    this.#language.commit(cellText(compiled, this.#count), new Set(declared.map(({ name }) => name)));
  }

  async answer(code: string): Promise<AnsweredCell> {
    const { error, mended } = await this.#prepare(code);
    return { error, mended };
  }

  async #prepare(code: string) {
    const source = { code, count: ++this.#count, script: String(this.#count) };
    const typescript = await this.#language.typeScriptOptions(code);
    const state = { switches: SWITCHES, typescript, directory: this.#directory } as never;
    try {
      const { compiled } = await compileCell(source, compile, this.#bindings, state, this.#language);
      await checkTypes(source, compiled, this.#language, SWITCHES as never);
      return { error: null, mended: null, compiled };
    } catch (stop) {
      if (!(stop instanceof CellStop)) throw stop;
      const { traceback, advice } = stop.content;
      const [first] = advice ?? [];
      const mended = first === undefined ? null : applied(code, [first, ...first.also].map(inUnits(code)));
      return { error: stripVTControlCharacters(traceback[0]!), mended, compiled: null };
    }
  }
}

/** From code points. */
const inUnits =
  (code: string) =>
  ({ start, end, text }: Edit): Edit => {
    const points = [...code];
    const offset = (at: number) => points.slice(0, at).join("").length;
    return { start: offset(start), end: offset(end), text };
  };
