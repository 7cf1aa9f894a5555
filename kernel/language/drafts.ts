// Questions about text that is being written, from documents of their own: an answer must wait neither for a check nor
// for another question. Knows the server and the notebook's names, nothing of checks.
import { setTimeout } from "node:timers/promises";
import { RESERVED_PREFIX } from "../cell/names.ts";
import {
  type Completion,
  type Completions,
  type Hover,
  type ServerCompletions,
  type ServerHover,
  type ServerItem,
  type ServerSignatures,
  cellCompletions,
  hoverOf,
  hoverOfSignatures,
  insertedText,
  signatureOf,
} from "./completion.ts";
import type { CellModule, Notebook } from "./notebook.ts";
import { TextLines } from "./positions.ts";
import type { LanguageServer } from "./server.ts";
import { LanguageServerError } from "./server_process.ts";

const DRAFT_MODULE = `${RESERVED_PREFIX}draft`;
const HOVERED_MODULE = `${RESERVED_PREFIX}hovered`;

/** How long completion waits for the names of the cell that has just run. */
const NAMES_WAIT_MS = 500;
const COMPLETION_DEADLINE_MS = 5_000;
/** A signature is a request of its own, 0.3 ms: for a list that a reader reads, not for one that is typed through. */
const MOST_SIGNATURES = 12;

export class Drafts {
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
  awaitNames(names: Promise<unknown>): void {
    this.#names = names;
  }

  /** A newer call supersedes an older one, which then offers nothing. */
  async complete(text: string, offset: number): Promise<Completions> {
    const nothing = { start: offset, end: offset, items: [] };
    this.#completing?.abort();
    const abort = (this.#completing = new AbortController());
    try {
      const module = await this.#draft(DRAFT_MODULE, text, offset);
      const method = "textDocument/completion";
      const answer = await this.#at<ServerCompletions>(method, DRAFT_MODULE, module, offset, abort.signal);
      const completions = cellCompletions(answer, text, offset, module, this.#notebook);
      if (answer === null || completions.items.length > MOST_SIGNATURES) return completions;
      return {
        ...completions,
        items: await this.#withSignatures(completions.items, answer.items, abort.signal),
      };
    } catch (error) {
      if (abort.signal.aborted || error instanceof LanguageServerError) return nothing;
      throw error;
    }
  }

  hover(text: string, offset: number): Promise<Hover | null> {
    const hover = this.#hovering.then(() => this.#hover(text, offset));
    this.#hovering = hover.catch(() => undefined);
    return hover;
  }

  async #hover(text: string, offset: number): Promise<Hover | null> {
    try {
      const module = await this.#draft(HOVERED_MODULE, text);
      const at = <T>(method: string) => this.#at<T>(method, HOVERED_MODULE, module, offset);
      const hover = hoverOf(await at<ServerHover>("textDocument/hover"));
      return hover ?? hoverOfSignatures(await at<ServerSignatures>("textDocument/signatureHelp"));
    } catch (error) {
      if (error instanceof LanguageServerError) return null;
      throw error;
    }
  }

  async #withSignatures(
    completions: readonly Completion[],
    items: readonly ServerItem[],
    signal: AbortSignal,
  ): Promise<Completion[]> {
    return Promise.all(
      completions.map(async (completion) => {
        const item = items.find((one) => insertedText(one) === completion.text);
        if (item === undefined) return completion;
        const options = { deadlineMs: COMPLETION_DEADLINE_MS, signal };
        const signature = signatureOf(await this.#server.request("completionItem/resolve", item, options));
        return signature === undefined ? completion : { ...completion, signature };
      }),
    );
  }

  async #draft(document: string, text: string, cursor = 0): Promise<CellModule> {
    await Promise.race([this.#names, setTimeout(NAMES_WAIT_MS, undefined, { ref: false })]);
    const module = this.#notebook.draftModule(text, cursor);
    this.#server.setDocument(`${document}.ts`, module.text);
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
