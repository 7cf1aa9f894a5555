// Asks the checker about one cell: the errors of its types, tensors in operators or conditions that take none, and an
// advice for each error.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { declaredBy } from "../cell/analyze.ts";
import { type ParsedText, parseTypeScript } from "../../lib/typescript/parse.ts";
import { readDraft } from "../cell/read_cell.ts";
import { CellSyntaxError } from "../../lib/typescript/syntax_error.ts";
import { type Advice, advisedMessage, type Candidate } from "./advice/advice.ts";
import { conditionProblems, identityProblems, OPERATOR_CODES, operatorProblems } from "./advice/operators.ts";
import type { Call, Place } from "./advice/place.ts";
import { type Asking, questionsOf, QUESTION_DECLARATION } from "./advice/questions.ts";
import { offersFor, placeOf } from "./advice/rules.ts";
import { SPREAD_DECLARATION, spreadsOf } from "./advice/spreads.ts";
import { offersForSyntax } from "./advice/syntax.ts";
import { type Problem, Trials, UNKNOWN_NAME } from "./advice/trials.ts";
import { namedArguments } from "./advice/named_arguments.ts";
import { declaresGlobally } from "./cell_text.ts";
import { cellDiagnostics, type Diagnostic, type ServerDiagnostic } from "./diagnostics.ts";
import { takenAt, type Takes } from "./editor/option_list.ts";
import type { AskingAboutFiles } from "./local_files.ts";
import { CELL_MODULE, type Notebook, QUESTIONS_MODULE } from "./notebook.ts";
import { type OpenedCell, type OpenModule, openModule } from "./open_module.ts";
import { saidByMarks } from "./python_marks.ts";
import { RETYPED_VAR } from "./retyped_vars.ts";
import { TextLines } from "./server/positions.ts";
import type { LanguageServer } from "./server/server.ts";

/** Offers candidates from knowledge of another language, for example by reading the text as Python. */
export type Adviser = (
  place: Place,
  types: () => Promise<ReadonlyMap<string, string>>,
) => Promise<readonly Candidate[]>;

/** An error of the parser; it has no number. */
export interface SyntaxProblem {
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly advice?: Advice;
}

/** Stands for the code of a syntax error; TypeScript does not use it. */
const SYNTAX = 0;

export interface CheckedText extends OpenedCell {
  /** Whether a value without a type, for which none is inferred, may be `any`. */
  readonly implicitAny: boolean;
}

export class CellChecks {
  readonly #server: LanguageServer;
  readonly #notebook: Notebook;
  /** The texts of cells that declare a `var` again with another type. */
  readonly #retyped = new Set<string>();

  constructor(server: LanguageServer, notebook: Notebook) {
    this.#server = server;
    this.#notebook = notebook;
  }

  openModule(cell: OpenedCell): OpenModule {
    return openModule(this.#notebook, cell, this.#retyped.has(cell.text));
  }

  /**
   * The problems of a cell.
   *
   * @param mustAskAgain gets the errors; returns whether something around the cell has changed, so that they are out of
   * date
   */
  async problems(
    cell: CheckedText,
    mustAskAgain: (found: readonly ServerDiagnostic[]) => boolean = () => false,
  ): Promise<readonly Problem[]> {
    const { text, implicitAny } = cell;
    const usesLibrary = this.#notebook.usesLibrary(text);
    const asked = usesLibrary ? await this.#ask(cell, questionsOf(cell, false), QUESTION_DECLARATION) : null;
    let { module, original } = this.openModule(cell);
    const own = () => {
      this.#server.setDocument(`${CELL_MODULE}.ts`, module.text, module.isJsx);
      return this.#diagnostics(CELL_MODULE);
    };
    let found = await own();
    if (mustAskAgain(found)) found = await own();
    if (found.some(({ code }) => code === RETYPED_VAR)) {
      this.#retyped.add(text);
      ({ module, original } = this.openModule(cell));
      found = await own();
    }
    const typed = cellDiagnostics(found, { module, text, original, implicitAny }, this.#notebook);
    const spread = await (await this.#ask(cell, spreadsOf(cell), SPREAD_DECLARATION))?.();
    const problems = [...typed, ...(spread ?? []).filter((one) => !typed.some((other) => meet(one, other)))];
    const isWide = usesLibrary && problems.some(({ code }) => OPERATOR_CODES.has(code));
    const wide = isWide ? await this.#ask(cell, questionsOf(cell, true), QUESTION_DECLARATION) : asked;
    const answers = await wide?.();
    if (answers === undefined) return problems;
    const operators = operatorProblems(answers, text);
    const others = problems.filter(
      (one) => !OPERATOR_CODES.has(one.code) || !operators.some((operator) => isOf(one, operator)),
    );
    return [
      ...others,
      ...operators,
      ...conditionProblems(answers, text),
      ...identityProblems(answers, text),
    ].toSorted((a, b) => a.start - b.start);
  }

  /** The problems with an advice for each, tried in the cell's place. */
  async advised(
    cell: CheckedText,
    problems: readonly Problem[],
    types: () => Promise<ReadonlyMap<string, string>>,
    adviser: Adviser | null,
  ): Promise<readonly Diagnostic[]> {
    const advised = await this.#trials(cell.implicitAny, types, adviser, cell).advised(cell.text, problems);
    return saidByMarks(cell.text, advised);
  }

  /** A syntax error with an advice, if one fixes it. */
  async repaired(
    text: string,
    error: SyntaxProblem,
    offers: readonly Candidate[],
    implicitAny: boolean,
  ): Promise<SyntaxProblem> {
    const all = [...offersForSyntax(text, error.start), ...offers];
    const problem: Problem = { ...error, code: SYNTAX, category: "error", offers: all };
    const none = async () => new Map<string, string>();
    const trials = this.#trials(implicitAny, none, null);
    const held = await trials.holding(text, problem, [problem]);
    if (held === null) return error;
    const { candidate, advice } = held;
    const { start, end, shown } = candidate;
    const isLine = shown === undefined || start > 0 || end < text.length || !text.includes("\n");
    // What is missing at the end of the text is missing where it is written.
    const place = isLine && (end > start || error.start >= text.trimEnd().length) ? advice : error;
    return {
      start: place.start,
      end: place.end,
      message: advisedMessage(error.message, candidate).replace(/\.$/, ""),
      advice,
    };
  }

  /** Asks the checker about the local files of a folder. */
  aboutFiles(directory: string): AskingAboutFiles {
    const name = (file: string) => path.relative(directory, file);
    const errors = (file: string) => this.diagnosticsAt(pathToFileURL(file).href);
    return {
      errors,
      errorsOf: (file, text) => {
        this.#server.setDocument(name(file), text);
        return errors(file);
      },
      forget: (file) => this.#server.closeDocument(name(file)),
      advised: (text, problems, diagnose) =>
        this.#trying(
          async () => new Map<string, string>(),
          null,
          (written) => (parsedCell(written) === null ? Promise.resolve(null) : diagnose(written)),
        ).advised(text, problems),
    };
  }

  #trials(
    implicitAny: boolean,
    types: () => Promise<ReadonlyMap<string, string>>,
    adviser: Adviser | null,
    own: ParsedText | null = null,
  ): Trials {
    const diagnose = async (text: string) => {
      const read = parsedCell(text);
      return read === null ? null : await this.problems({ ...read, implicitAny });
    };
    return this.#trying(types, adviser, diagnose, own);
  }

  /** @param own the text that is to be mended, where it was parsed */
  #trying(
    types: () => Promise<ReadonlyMap<string, string>>,
    adviser: Adviser | null,
    diagnose: (text: string) => Promise<readonly Problem[] | null>,
    own: ParsedText | null = null,
  ): Trials {
    return new Trials({
      diagnose,
      offer: async (text, problem) => {
        if (problem.offers !== undefined) return problem.offers;
        if (problem.known === "cause") return [];
        const parsed = text === own?.text ? own : parseTypeScript(text);
        const place = placeOf(parsed, problem);
        const named = await namedArguments(place, (call) => this.#takenBy(parsed, call));
        const offers = [
          ...this.#imported(place),
          ...named.placed,
          ...offersFor(place, problem.known),
          ...named.unknown,
        ];
        return adviser === null ? offers : [...offers, ...(await adviser(place, types))];
      },
      importOf: (name) => this.#importOf(name),
    });
  }

  #importOf(name: string): string | null {
    return this.#notebook.library.has(name) ? `import { ${name} } from "mpslab";` : null;
  }

  async #takenBy(cell: ParsedText, { callee }: Call): Promise<Takes> {
    const module = this.#notebook.cellModule({ ...cell, declared: declaredBy(cell.program) });
    const document = `${QUESTIONS_MODULE}.ts`;
    if (this.#server.setDocument(document, module.text, module.isJsx)) await this.settle();
    const { start } = callee.type === "MemberExpression" ? callee.property : callee;
    return takenAt(this.#server, document, module.cellStart + start);
  }

  /** The import of a name of the library. */
  #imported({ code, text, start, end }: Place): Candidate[] {
    const line = UNKNOWN_NAME.has(code) ? this.#importOf(text.slice(start, end)) : null;
    if (line === null) return [];
    return [{ start: 0, end: 0, text: `${line}\n`, sentence: "It is imported" }];
  }

  /**
   * The cell with its questions, in a module of its own. In one program with the cell's module, the types of all
   * expressions are computed already. Global declarations would be made twice, so such a cell is replaced by its
   * questions afterwards.
   */
  async #ask<Learnt>(
    { text, isJsx, declared }: CheckedText,
    questions: Asking<Learnt> | null,
    declaration: string,
  ): Promise<(() => Promise<Learnt>) | null> {
    if (questions === null) return null;
    const module = this.#notebook.cellModule({ text: questions.text, isJsx, declared }, declaration);
    const place = declaresGlobally(text) ? CELL_MODULE : QUESTIONS_MODULE;
    const set = () => this.#server.setDocument(`${place}.ts`, module.text, module.isJsx);
    if (place === QUESTIONS_MODULE && set()) await this.settle();
    return async () => {
      set();
      const lines = new TextLines(module.text);
      const found = (await this.#diagnostics(place)).map(({ message, range }) => ({
        message,
        start: lines.offset(range.start) - module.cellStart,
        end: lines.offset(range.end) - module.cellStart,
      }));
      return questions.answers(found);
    };
  }

  /**
   * The server puts one changed module into the program as it is (1 ms); two at once make the next check rebuild the
   * program (5 ms).
   */
  async settle(module = QUESTIONS_MODULE): Promise<void> {
    const textDocument = { uri: this.#server.uri(`${module}.ts`) };
    await this.#server.request("textDocument/foldingRange", { textDocument }).catch(() => undefined);
  }

  #diagnostics(module: string): Promise<readonly ServerDiagnostic[]> {
    return this.diagnosticsAt(this.#server.uri(`${module}.ts`));
  }

  async diagnosticsAt(uri: string): Promise<readonly ServerDiagnostic[]> {
    const { items } = await this.#server.request<{ items: readonly ServerDiagnostic[] }>(
      "textDocument/diagnostic",
      { textDocument: { uri } },
    );
    return items;
  }
}

/** Whether the error is TypeScript's own, about an operator or operand for which there is a better message. */
function isOf(one: Problem, operator: Problem): boolean {
  return one.start >= operator.start && one.end <= operator.end;
}

const meet = (one: Problem, other: Problem): boolean => one.start < other.end && other.start < one.end;

/** Null if the text cannot be read. */
function parsedCell(written: string): OpenedCell | null {
  try {
    const { parsed } = readDraft(written);
    return parsed.problem === null ? { ...parsed, declared: declaredBy(parsed.program) } : null;
  } catch (error) {
    if (error instanceof CellSyntaxError) return null;
    throw error;
  }
}
