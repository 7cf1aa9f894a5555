// Answers editor queries about half-written text, in documents of their own. An answer waits neither for a check nor for
// another query.
import { setTimeout } from "node:timers/promises";
import { nestsTooDeeply } from "../../../lib/typescript/depth.ts";
import { wordAfter, wordBefore } from "../../../lib/typescript/identifiers.ts";
import { RESERVED_PREFIX } from "../../cell/names.ts";
import {
  type Completion,
  type Completions,
  type ServerCompletions,
  type ServerItem,
  cellCompletions,
  detailsOf,
  insertedText,
  offersString,
  withStrings,
} from "./completion.ts";
import {
  type Hover,
  type ServerHover,
  type ServerSignatures,
  documentedBy,
  hidesParameters,
  hoverOf,
  hoverOfSignatures,
  isDocumented,
  withDeclared,
  withoutMark,
} from "./hover.ts";
import type { CellModule, Notebook } from "../notebook.ts";
import { takenAt, withOptions } from "./option_list.ts";
import { type ServerRange, TextLines } from "../server/positions.ts";
import type { LanguageServer } from "../server/server.ts";
import { LanguageServerError } from "../server/server_process.ts";

const DRAFT_MODULE = `${RESERVED_PREFIX}draft`;
const HOVERED_MODULE = `${RESERVED_PREFIX}hovered`;

/** How long after a cell has run completion waits for its names. */
const NAMES_WAIT_MS = 500;
/** The first query waits for the library's declarations to be loaded: before that there is nothing to offer. */
const START_WAIT_MS = 5_000;
const COMPLETION_DEADLINE_MS = 5_000;
/**
 * Each signature is a request of its own and takes 0.3 ms. Signatures are fetched only for a list that is short enough
 * to be read.
 */
const MAX_SIGNATURES = 12;

const HELD_FUNCTION = /^(?:import [^\n]*\n\n)?\(property\) [\w$.]+: \(/;
/** A function that is declared by an interface, or by a type with several forms. */
const INTERFACE = /^(?:import [^\n]*\n\n)?(?:const|\(property\)) [\w$.]+: (?:[\w.]*Function\n|\{\n +\()/;
const CLASS = /^(?:import [^\n]*\n\n)?class /;
/** A constructor that takes arguments. */
const CONSTRUCTOR = /^(?:import [^\n]*\n\n)?constructor [^(]*\((?!\))/;
/** A name with the objects before its dots, at a place where a value may be: not after `new`, `extends` or a colon. */
const EXPRESSION = /(?<=(?:^|[=(,;[{]|\n)\s*)(?:[\w$]+\.)*[\w$]*$/;

/** A place in a document, of ours or on disk. */
export interface Location {
  readonly uri: string;
  readonly range: ServerRange;
}

/** The names of cells that have just run, which the server does not know yet. */
export interface NewNames {
  /** Finds their types. */
  fold(): Promise<unknown>;
  /** Gives the server what was found. */
  publish(): void;
}

export class EditorQueries {
  readonly #server: LanguageServer;
  readonly #notebook: Notebook;
  readonly #names: NewNames;
  #started: Promise<unknown> = Promise.resolve();
  #completing: AbortController | null = null;
  #hovering: Promise<unknown> = Promise.resolve();

  constructor(server: LanguageServer, notebook: Notebook, names: NewNames) {
    this.#server = server;
    this.#notebook = notebook;
    this.#names = names;
  }

  /** Opens the documents before they are needed, so that the program is not rebuilt for them. */
  open(): void {
    for (const draft of [DRAFT_MODULE, HOVERED_MODULE]) {
      this.#server.setDocument(`${draft}.ts`, this.#notebook.draftModule("").text);
    }
  }

  awaitStart(started: Promise<unknown>): void {
    this.#started = atMost(START_WAIT_MS, started);
  }

  /** A newer call supersedes an older one, which then offers nothing. */
  async complete(text: string, offset: number): Promise<Completions> {
    const nothing = { start: offset, end: offset, items: [] };
    this.#completing?.abort();
    const abort = (this.#completing = new AbortController());
    try {
      const { answer, completions } = await this.#complete(text, offset, "", abort.signal);
      // A second request between quotes finds all strings that fit: `{ dtype: `, `x.to(`.
      if (offersString(completions)) {
        const strings = await this.#complete(text, offset, '""', abort.signal);
        return withStrings(completions, strings.completions);
      }
      // In a generic call the server offers options only after the first letter: `new nn.Conv2d(3, 6, 3, { `. So a
      // letter is added.
      const named =
        completions.inScope === true && beginsProperty(text, offset)
          ? await this.#complete(text, offset, "_", abort.signal)
          : null;
      const found = named === null || named.completions.inScope !== false ? { answer, completions } : named;
      const { items } = found.completions;
      if (found.answer === null || items.length > MAX_SIGNATURES) return found.completions;
      const described = await this.#withSignatures(items, found.answer.items, abort.signal);
      return { ...found.completions, items: described };
    } catch (error) {
      if (abort.signal.aborted || error instanceof LanguageServerError) return nothing;
      throw error;
    }
  }

  /** @param written is inserted at the offset for the request; the cursor stands behind its first character */
  async #complete(
    text: string,
    offset: number,
    written: string,
    signal: AbortSignal,
  ): Promise<{ readonly answer: ServerCompletions | null; readonly completions: Completions }> {
    const whole = withModuleNamed(text, offset);
    const module = await this.#draft(
      DRAFT_MODULE,
      whole.slice(0, offset) + written + whole.slice(offset),
      offset,
    );
    const at = offset + Math.min(written.length, 1);
    const method = "textDocument/completion";
    const answer = await this.#at<ServerCompletions>(method, DRAFT_MODULE, module, at, signal);
    return { answer, completions: cellCompletions(answer, text, offset, module, this.#notebook) };
  }

  /** Describes the name at the offset, and the options of its call. */
  async hover(text: string, offset: number): Promise<Hover | null> {
    return this.#withOptions(await this.#hoverOrMade(text, offset), text, offset);
  }

  async #hoverOrMade(text: string, offset: number): Promise<Hover | null> {
    const hover = await this.#hover(text, offset);
    if (hover === null) return null;
    const end = offset + wordAfter(text, offset).length;
    const atCall = () => this.#signature(`${text.slice(0, end)}(`, end + 1, offset);
    if (INTERFACE.test(hover.text)) {
      // A function that an interface declares: its signatures say more than the interface's name.
      const called = await atCall();
      if (called === null) return hover;
      return isDocumented(called) ? withoutMark(called) : documentedBy(withoutMark(called), hover);
    }
    if (HELD_FUNCTION.test(hover.text) && !isDocumented(hover)) {
      // The server has the documentation of a function that an object holds, as `lab.plot` does, at its call.
      return documentedBy(hover, await atCall());
    }
    if (!CLASS.test(hover.text)) return hover;
    // At a class, the user wants to know what its constructor takes: for `nn.Linear` the server is asked about `new
    // nn.Linear`.
    const start = EXPRESSION.exec(text.slice(0, offset))?.index;
    if (start === undefined) return hover;
    const made = await this.#hover(`${text.slice(0, start)}new ${text.slice(start)}`, offset + "new ".length);
    return made !== null && CONSTRUCTOR.test(made.text) ? made : hover;
  }

  #hover(text: string, offset: number): Promise<Hover | null> {
    return this.#inTurn(text, offset, async (ask, module) => {
      const hover = hoverOf(await ask<ServerHover>("textDocument/hover"));
      const name = nameAt(text, offset);
      if (hover === null || !module.lent.has(name)) return hover;
      const statement = `import { ${name} } from "mpslab";`;
      const markdown = `\`\`\`typescript\n${statement}\n\`\`\`\n\n${hover.markdown}`;
      return { markdown, text: `${statement}\n\n${hover.text}` };
    });
  }

  /** The signatures of the call of the name at `called`, in whose arguments the offset lies. */
  async signature(text: string, offset: number, called: number): Promise<Hover | null> {
    return this.#withOptions(await this.#signatureOrMade(text, offset, called), text, called);
  }

  async #signatureOrMade(text: string, offset: number, called: number): Promise<Hover | null> {
    const signature = await this.#signature(text, offset, called);
    if (signature !== null) return signature;
    // A class that is called needs `new`: for `nn.Linear(` the server is asked about `new nn.Linear(`.
    const start = EXPRESSION.exec(text.slice(0, called))?.index;
    if (start === undefined) return null;
    const added = "new ";
    const made = `${text.slice(0, start)}${added}${text.slice(start)}`;
    return await this.#signature(made, offset + added.length, called + added.length);
  }

  #signature(text: string, offset: number, called: number): Promise<Hover | null> {
    return this.#inTurn(text, offset, async (ask) => {
      let found = await ask<ServerSignatures>("textDocument/signatureHelp");
      if (found !== null && hidesParameters(found)) {
        // Asked about `y.at` without its arguments, the server gives the rest parameter, which the call's signature
        // hides.
        const name = text.slice(0, called + wordAfter(text, called).length);
        found = withDeclared(found, await this.#uncalled(name, called));
      }
      const signature = hoverOfSignatures(found);
      if (signature === null || isDocumented(signature)) return signature;
      // The server has the documentation of `new nn.Conv2d(` at the class, not at its constructor.
      return documentedBy(signature, hoverOf(await ask<ServerHover>("textDocument/hover", called)));
    });
  }

  /** @param called the offset of the name of what is called */
  async #withOptions(hover: Hover | null, text: string, called: number): Promise<Hover | null> {
    if (hover === null) return null;
    const name = called - wordBefore(text, called).length;
    const found = await this.#inTurn(text, name, async (ask, module) => {
      // The document has reached the checker once the server has answered something about it.
      await ask("textDocument/foldingRange");
      return takenAt(this.#server, `${HOVERED_MODULE}.ts`, module.cellStart + name);
    });
    return withOptions(hover, found?.options ?? []);
  }

  async #uncalled(text: string, offset: number): Promise<ServerHover | null> {
    const module = await this.#draft(HOVERED_MODULE, text);
    return await this.#at<ServerHover>("textDocument/hover", HOVERED_MODULE, module, offset);
  }

  /** Returns the place where the name at the offset is declared. */
  definition(text: string, offset: number): Promise<Location | null> {
    return this.#inTurn(text, offset, async (ask) => {
      const found = await ask<Location | readonly Location[]>("textDocument/definition");
      return Array.isArray(found) ? ((found as readonly Location[])[0] ?? null) : (found as Location | null);
    });
  }

  /** One query after the other, because they share a document. */
  #inTurn<Answer>(
    text: string,
    offset: number,
    question: (
      ask: <T>(method: string, at?: number) => Promise<T | null>,
      module: CellModule,
    ) => Promise<Answer | null>,
  ): Promise<Answer | null> {
    const answer = this.#hovering.then(async () => {
      try {
        const module = await this.#draft(HOVERED_MODULE, text);
        const ask = <T>(method: string, at = offset) => this.#at<T>(method, HOVERED_MODULE, module, at);
        return await question(ask, module);
      } catch (error) {
        if (error instanceof LanguageServerError) return null;
        throw error;
      }
    });
    this.#hovering = answer.catch(() => undefined);
    return answer;
  }

  async #withSignatures(
    completions: readonly Completion[],
    items: readonly ServerItem[],
    signal: AbortSignal,
  ): Promise<Completion[]> {
    return Promise.all(
      completions.map(async (completion) => {
        const item = items.find((one) => insertedText(one) === completion.text);
        if (item === undefined || completion.signature !== undefined) return completion;
        return { ...completion, ...detailsOf(await this.#resolved(item, signal)) };
      }),
    );
  }

  /** A completion with its type and its documentation. */
  #resolved(item: ServerItem, signal?: AbortSignal): Promise<ServerItem> {
    const options = { deadlineMs: COMPLETION_DEADLINE_MS, ...(signal === undefined ? {} : { signal }) };
    return this.#server.request<ServerItem>("completionItem/resolve", item, options);
  }

  async #draft(document: string, text: string, cursor = 0): Promise<CellModule> {
    if (nestsTooDeeply(text)) throw new LanguageServerError("The text nests too deeply to be asked about.");
    await this.#started;
    await atMost(NAMES_WAIT_MS, this.#names.fold());
    this.#names.publish();
    const module = this.#notebook.draftModule(text, cursor);
    this.#server.setDocument(`${document}.ts`, module.text, module.isJsx);
    return module;
  }

  #at<T>(
    method: string,
    document: string,
    module: CellModule,
    offset: number,
    signal?: AbortSignal,
  ): Promise<T | null> {
    const position = new TextLines(module.text).position(module.cellStart + offset);
    const textDocument = { uri: this.#server.uri(`${document}.ts`) };
    const options = { deadlineMs: COMPLETION_DEADLINE_MS, ...(signal === undefined ? {} : { signal }) };
    return this.#server.request<T | null>(method, { textDocument, position }, options);
  }
}

/**
 * Whether the name of a property may begin here, in an object literal or a destructuring pattern: `{ `, `{ lr: 1, `.
 */
function beginsProperty(text: string, offset: number): boolean {
  const before = text.slice(0, offset);
  if (!/[{,]\s*$/.test(before) || wordAfter(text, offset) !== "") return false;
  let closed = 0;
  for (let at = before.length - 1; at >= 0; at--) {
    const character = before.charAt(at);
    if (")]}".includes(character)) closed++;
    else if ("([{".includes(character) && closed-- === 0) return character === "{";
  }
  return false;
}

/**
 * Completes `import { to`, where the module is not written yet, with the library as the module: cells import most from
 * it.
 */
function withModuleNamed(text: string, offset: number): string {
  const rest = text.slice(offset);
  if (!/(?:^|[\n;])[ \t]*import\s+(?:type\s+)?\{[^{}"';]*$/.test(text.slice(0, offset))) return text;
  if (/^[^}"';]*\}\s*from\b/.test(rest)) return text;
  const [closed] = /^[^\n}]*\}/.exec(rest) ?? [];
  const end = offset + (closed ?? /^[^\n]*/.exec(rest)![0]).length;
  return `${text.slice(0, end)}${closed === undefined ? " }" : ""} from "mpslab";${text.slice(end)}`;
}

function nameAt(text: string, offset: number): string {
  return wordBefore(text, offset) + wordAfter(text, offset);
}

function atMost(waitMs: number, work: Promise<unknown>): Promise<unknown> {
  return Promise.race([work, setTimeout(waitMs, undefined, { ref: false })]);
}
