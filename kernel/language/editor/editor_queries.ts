// Answers editor queries about half-written text, in documents of their own. An answer waits neither for a check nor for
// another query.
import { setTimeout } from "node:timers/promises";
import { nestsTooDeeply } from "../../cell/parse/depth.ts";
import { wordAfter, wordBefore } from "../../cell/parse/identifiers.ts";
import { RESERVED_PREFIX } from "../../cell/names.ts";
import {
  type Completion,
  type Completions,
  type ServerCompletions,
  type ServerItem,
  cellCompletions,
  detailsOf,
  insertedText,
} from "./completion.ts";
import {
  type Hover,
  type ServerHover,
  type ServerSignatures,
  documentedBy,
  hoverOf,
  hoverOfSignatures,
  isDocumented,
} from "./hover.ts";
import type { CellModule, Notebook } from "../notebook.ts";
import { type ServerRange, TextLines } from "../server/positions.ts";
import type { LanguageServer } from "../server/server.ts";
import { LanguageServerError } from "../server/server_process.ts";

const DRAFT_MODULE = `${RESERVED_PREFIX}draft`;
const HOVERED_MODULE = `${RESERVED_PREFIX}hovered`;

/** How long after a cell has run completion waits for its names. */
const NAMES_WAIT_MS = 500;
/** The first question waits for the library's declarations: without them there is nothing to offer. */
export const START_WAIT_MS = 5_000;
const COMPLETION_DEADLINE_MS = 5_000;
/** A signature is a request of its own, 0.3 ms: for a list that a reader reads, not for one that is typed through. */
const MAX_SIGNATURES = 12;

const CLASS = /^(?:import [^\n]*\n\n)?class /;
/** One that takes something. */
const CONSTRUCTOR = /^(?:import [^\n]*\n\n)?constructor [^(]*\((?!\))/;
/** A name with what stands before its dots, where a value may be: not behind `new`, `extends` or a colon. */
const EXPRESSION = /(?<=(?:^|[=(,;[{]|\n)\s*)(?:[\w$]+\.)*[\w$]*$/;

/** A place in a document, of ours or on disk. */
export interface Location {
  readonly uri: string;
  readonly range: ServerRange;
}

export class EditorQueries {
  readonly #server: LanguageServer;
  readonly #notebook: Notebook;
  #names: Promise<unknown> = Promise.resolve();
  #completing: AbortController | null = null;
  #hovering: Promise<unknown> = Promise.resolve();

  constructor(server: LanguageServer, notebook: Notebook) {
    this.#server = server;
    this.#notebook = notebook;
  }

  /** Opens the documents before they are needed, so that the program is not rebuilt for them. */
  open(): void {
    for (const draft of [DRAFT_MODULE, HOVERED_MODULE]) {
      this.#server.setDocument(`${draft}.ts`, this.#notebook.draftModule("").text);
    }
  }

  /** The names of a cell that has just run are on their way: the next question waits for them a little. */
  awaitNames(names: Promise<unknown>, waitMs = NAMES_WAIT_MS): void {
    this.#names = Promise.race([names, setTimeout(waitMs, undefined, { ref: false })]);
  }

  /** A newer call supersedes an older one, which then offers nothing. */
  async complete(text: string, offset: number): Promise<Completions> {
    const nothing = { start: offset, end: offset, items: [] };
    this.#completing?.abort();
    const abort = (this.#completing = new AbortController());
    try {
      const module = await this.#draft(DRAFT_MODULE, withModuleNamed(text, offset), offset);
      const method = "textDocument/completion";
      const answer = await this.#at<ServerCompletions>(method, DRAFT_MODULE, module, offset, abort.signal);
      const completions = cellCompletions(answer, text, offset, module, this.#notebook);
      if (answer === null || completions.items.length > MAX_SIGNATURES) return completions;
      return {
        ...completions,
        items: await this.#withSignatures(completions.items, answer.items, abort.signal),
      };
    } catch (error) {
      if (abort.signal.aborted || error instanceof LanguageServerError) return nothing;
      throw error;
    }
  }

  /** Describes the name at the offset. */
  async hover(text: string, offset: number): Promise<Hover | null> {
    const hover = await this.#hover(text, offset);
    if (hover === null || !CLASS.test(hover.text)) return hover;
    // A user who points at a class wants to know what its constructor takes: `nn.Linear` is asked about as `new
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
  signature(text: string, offset: number, called: number): Promise<Hover | null> {
    return this.#inTurn(text, offset, async (ask) => {
      const signature = hoverOfSignatures(await ask<ServerSignatures>("textDocument/signatureHelp"));
      if (signature === null || isDocumented(signature)) return signature;
      // The documentation of `new nn.Conv2d(` is at the class, not at its constructor.
      return documentedBy(signature, hoverOf(await ask<ServerHover>("textDocument/hover", called)));
    });
  }

  /** Returns the place where the name at the offset is declared. */
  definition(text: string, offset: number): Promise<Location | null> {
    return this.#inTurn(text, offset, async (ask) => {
      const found = await ask<Location | readonly Location[]>("textDocument/definition");
      return Array.isArray(found) ? ((found as readonly Location[])[0] ?? null) : (found as Location | null);
    });
  }

  /** One question after the other: they share a document. */
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
        const options = { deadlineMs: COMPLETION_DEADLINE_MS, signal };
        const resolved = await this.#server.request<ServerItem>("completionItem/resolve", item, options);
        return { ...completion, ...detailsOf(resolved) };
      }),
    );
  }

  async #draft(document: string, text: string, cursor = 0): Promise<CellModule> {
    if (nestsTooDeeply(text)) throw new LanguageServerError("The text nests too deeply to be asked about.");
    await this.#names;
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

/** Adds the module to `import { to`, whose module comes last. It is the library's, of which a cell imports most. */
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
