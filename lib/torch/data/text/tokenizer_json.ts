// Reads and writes tokenizer.json, the file of Hugging Face's `tokenizers` library, which Python loads with
// `Tokenizer.from_file`. Settings that would change ids and are not supported are refused. serialization.rs (tokenizers)
import { describe } from "../../vocabulary/arguments.ts";
import { readJsonFile, writeWhole } from "../../../whole_file.ts";
import type { AddedToken } from "./added_tokens.ts";

export type Settings = Readonly<Record<string, unknown>>;

/** A file's content. The settings of its parts are checked by the tokenizer that loads it. */
export interface TokenizerFile {
  /** The token of each id, added tokens included. */
  readonly vocabulary: readonly string[];
  /** The ids of the model's own tokens. */
  readonly ids: ReadonlyMap<string, number>;
  readonly added: readonly AddedToken[];
  readonly model: Settings;
  readonly normalizer: Settings | null;
  readonly preTokenizer: Settings | null;
  readonly decoder: Settings | null;
  /** Throws a TypeError that names the file. */
  readonly refuse: (problem: string) => never;
}

const isSettings = (value: unknown): value is Settings =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a part is of a type and has these settings; a setting that the file leaves out matches any value. */
export function isPart(part: Settings | null, type: string, settings: Settings = {}): boolean {
  return (
    part?.["type"] === type &&
    Object.entries(settings).every(([key, value]) => part[key] === undefined || part[key] === value)
  );
}

/** A path that is a number would mean a file descriptor: 0 waits for the keyboard. */
function requirePath(call: string, file: unknown): void {
  if (typeof file !== "string" || file === "")
    throw new TypeError(`${call}: the file must be a path, got ${describe(file)}.`);
}

export function writeTokenizerFile(
  call: string,
  file: string,
  added: readonly AddedToken[],
  parts: { normalizer: Settings | null; pre_tokenizer: Settings; decoder: Settings | null; model: Settings },
): void {
  requirePath(call, file);
  const { normalizer, pre_tokenizer, decoder, model } = parts;
  const content = {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: added.map(({ id, content: text, special }) => ({
      id,
      content: text,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special,
    })),
    normalizer,
    pre_tokenizer,
    post_processor: null,
    decoder,
    model,
  };
  writeWhole(call, file, (write) => write(Buffer.from(`${JSON.stringify(content)}\n`)));
}

function readJson(call: string, file: string): unknown {
  requirePath(call, file);
  return readJsonFile(call, file, (why, cause) => new TypeError(`${call}: ${file} ${why}.`, { cause }));
}

/**
 * @throws TypeError for a file that is not a tokenizer.json with this type of model, or that needs an unsupported
 *   setting
 */
export function readTokenizerFile(call: string, file: string, modelType: "BPE" | "WordLevel"): TokenizerFile {
  const json = readJson(call, file);
  const refuse = (problem: string): never => {
    throw new TypeError(`${call}: ${file} ${problem}.`);
  };
  const content = isSettings(json) ? json : refuse("is no tokenizer.json; save() writes one");
  if (content["format"] === "mpslab tokenizer")
    refuse("has mpslab's old format, which is no longer read; train the tokenizer again and save it");
  const part = (name: string) => (isSettings(content[name]) ? content[name] : null);
  const model = part("model") ?? refuse("is no tokenizer.json: it has no model; save() writes one");
  if (model["type"] !== modelType) {
    refuse(
      `has a model of type ${describe(model["type"])}, not "${modelType}"; load "BPE" with BytePairTokenizer, "WordLevel" with WordTokenizer`,
    );
  }
  for (const name of ["truncation", "padding"]) {
    if ((content[name] ?? null) !== null)
      refuse(`sets ${name}, which is not supported; save it from Python with ${name} off`);
  }
  const processor = part("post_processor");
  // As a post-processor, ByteLevel changes offsets but no ids.
  if (processor !== null && !isPart(processor, "ByteLevel"))
    refuse(`has the post-processor ${describe(processor["type"])}, which is not supported; save it without`);
  const ids = readIds(model["vocab"], refuse);
  const added = readAdded(content["added_tokens"], refuse);
  return {
    vocabulary: byId(ids, added, refuse),
    ids,
    added,
    model,
    normalizer: part("normalizer"),
    preTokenizer: part("pre_tokenizer"),
    decoder: part("decoder"),
    refuse,
  };
}

function readIds(vocabulary: unknown, refuse: TokenizerFile["refuse"]): Map<string, number> {
  const entries = isSettings(vocabulary) ? Object.entries(vocabulary) : refuse("has no valid vocabulary");
  return new Map(
    entries.map(([token, id]) => [
      token,
      Number.isSafeInteger(id) ? (id as number) : refuse("has no valid vocabulary"),
    ]),
  );
}

function readAdded(tokens: unknown, refuse: TokenizerFile["refuse"]): AddedToken[] {
  const list: readonly unknown[] = Array.isArray(tokens) ? tokens : [];
  return list.map((token) => {
    const { id, content, special, ...flags } = isSettings(token)
      ? token
      : refuse("has no valid added tokens");
    if (typeof content !== "string" || content === "" || !Number.isSafeInteger(id))
      return refuse("has no valid added tokens");
    for (const flag of ["single_word", "lstrip", "rstrip"]) {
      if (flags[flag] === true)
        refuse(
          `has the added token ${describe(content)} with ${flag}, which is not supported; add it without`,
        );
    }
    return { id: id as number, content, special: special === true };
  });
}

function byId(
  ids: ReadonlyMap<string, number>,
  added: readonly AddedToken[],
  refuse: TokenizerFile["refuse"],
): string[] {
  const tokens = new Map<number, string>(Array.from(ids, ([token, id]) => [id, token]));
  const own = tokens.size;
  for (const { id, content } of added) tokens.set(id, content);
  if (own !== ids.size) refuse("gives one id to two tokens");
  return Array.from(
    { length: tokens.size },
    (_, id) => tokens.get(id) ?? refuse(`has no token ${id}: ids must have no gap`),
  );
}
