// Answers an editor's completion and inspection requests. Combines what the magics, the language service, the session
// and the folder find, and converts the protocol's positions to offsets and back.
import {
  calledName,
  lexicalPlace,
  pathAt,
  pathBefore,
  type StringAt,
  touchedName,
} from "../../lib/typescript/cursor.ts";
import { wordBefore } from "../../lib/typescript/identifiers.ts";
import { completeMagicLine } from "../../lib/magics/complete_line.ts";
import { GRAMMARS } from "../../lib/magics/grammars.ts";
import { codeOfCell } from "../../lib/magics/cell_code.ts";
import { helpOf } from "../../lib/magics/usage.ts";
import { scan } from "../../lib/magics/scan.ts";
import { fileNames, packageNames } from "./file_names.ts";
import type { Completion, Completions, Language } from "../language/service.ts";
import type { LiveAnswer } from "./live_values.ts";
import { toCodePoints, toOffset } from "../protocol/code_points.ts";
import type { Json } from "../protocol/messages.ts";
import type { CursorRequest, InspectRequest } from "../protocol/requests.ts";
import type { Question } from "../session/channel.ts";

/** What answers the editor's questions. */
export interface Sources {
  readonly language: Language;
  /** The notebook's folder. */
  readonly directory: string;
  readonly liveValue: (question: Question) => Promise<LiveAnswer>;
}

export async function complete({ code, cursorPos }: CursorRequest, sources: Sources): Promise<Json> {
  const offset = toOffset(code, cursorPos);
  const { start, end, items } =
    (await completeMagic(code, offset, sources)) ?? (await completeCode(code, offset, sources));
  const range = { start: toCodePoints(code, start), end: toCodePoints(code, end) };
  return {
    status: "ok",
    matches: items.map(({ text }) => text),
    cursor_start: range.start,
    cursor_end: range.end,
    metadata: {
      _jupyter_types_experimental: items.map(({ text, kind, signature }) => ({
        ...range,
        text,
        type: kind,
        ...(signature === undefined ? {} : { signature }),
      })),
    },
  };
}

async function completeCode(code: string, offset: number, sources: Sources): Promise<Completions> {
  const place = lexicalPlace(code, offset);
  const nothing = { start: offset, end: offset, items: [] };
  if (place === "text") return nothing;
  const [typed, packages] = await Promise.all([
    sources.language.complete(withoutMagics(code), offset),
    place === "code" ? null : completePackages(code, offset, place, sources),
  ]);
  const live = await completeLive(code, offset, place, typed, sources);
  // A key is more likely than any name in `weights[`.
  const found = joined(
    code,
    offset,
    live?.isKey && place === "code" ? [live, typed] : [typed, live, packages],
  );
  if (found !== null || place === "code") return found ?? nothing;
  const start = place.start + place.typed.lastIndexOf("/") + 1;
  return { start, end: offset, items: await fileNames(sources.directory, place.typed) };
}

/** Items that begin with the typed text, or null. The first list with a match decides which text is replaced. */
function joined(code: string, end: number, parts: readonly (Completions | null)[]): Completions | null {
  const matching = parts
    .filter((part) => part !== null)
    .map(({ start, items }) => {
      const typed = code.slice(start, end).toLowerCase();
      return { start, items: items.filter(({ text, name = text }) => name.toLowerCase().startsWith(typed)) };
    })
    .filter(({ items }) => items.length > 0);
  const [first] = matching;
  if (first === undefined) return null;
  const byText = new Map<string, Completion>();
  for (const { start, items } of matching) {
    if (start !== first.start) continue;
    for (const item of items) if (!byText.has(item.text)) byText.set(item.text, item);
  }
  return { start: first.start, end, items: [...byText.values()] };
}

/** Completes the keys of a live value in `weights["`, and its members after a dot if its type has none. */
async function completeLive(
  code: string,
  offset: number,
  place: "code" | StringAt,
  typed: Completions,
  { liveValue }: Sources,
): Promise<(Completions & { readonly isKey: boolean }) | null> {
  const start = place === "code" ? offset - wordBefore(code, offset).length : place.start;
  // Inside a string, what matters stands before its quote: `weights["`, `cache.get("`.
  const opening = code.slice(0, place === "code" ? start : start - 1);
  const before = /(?<keys>(?:\?\.)?\[|\??\.(?:get|has|delete)\()$|(?<member>\??\.)$/.exec(opening);
  if (before === null && place !== "code") return null;
  const path = before === null ? ["globalThis" as const] : pathBefore(opening, before.index);
  if (path === null) return null;
  const isTyped = typed.items.length > 0;
  // Here the name of an option is expected, and not a variable.
  if (before === null && isTyped && typed.inScope === false) return null;
  const about = before?.groups?.["member"] === undefined ? "keys" : "members";
  if (about === "members" && (isTyped || place !== "code")) return null;
  const answer = await liveValue({ path, about });
  if (answer === null || answer === "busy") return null;
  const isKey = before !== null && about === "keys";
  const items = answer.names.map(({ text, kind }) => ({
    text: isKey && place === "code" ? JSON.stringify(text) : text,
    kind: before === null ? "variable" : kind,
  }));
  return { start, end: offset, items, isKey };
}

const BEFORE_SPECIFIER = /\b(?:from|import|import\s*\(|require\s*\()\s*$/;

async function completePackages(
  code: string,
  offset: number,
  { start, typed }: StringAt,
  { directory }: Sources,
): Promise<Completions | null> {
  const isPackage =
    BEFORE_SPECIFIER.test(code.slice(0, start - 1)) && /^(?:@[\w.-]*\/?)?[\w.-]*$/.test(typed);
  if (!isPackage || typed.startsWith(".")) return null;
  return { start, end: offset, items: await packageNames(directory) };
}

export const BUSY = "The session is busy: the value can be looked at when the cell awaits or has ended.";

export async function inspect(
  { code, cursorPos, detailLevel }: InspectRequest,
  { language, liveValue }: Sources,
): Promise<Json> {
  const cursor = toOffset(code, cursorPos);
  const magic = magicAt(code, cursor);
  if (magic !== null) return found([{ text: magic, markdown: fenced(magic, "") }]);
  const place = lexicalPlace(code, cursor);
  const text = withoutMagics(code);
  const touched = touchedName(code, cursor);
  const called = touched === null && place === "code" ? calledName(code, cursor) : null;
  if (called !== null) {
    const signature = await language.signature(text, cursor, called);
    if (signature !== null) return found([signature]);
  }
  const offset = touched ?? called ?? cursor;
  const path = place === "code" ? pathAt(code, offset) : null;
  const [hover, value, source] = await Promise.all([
    language.hover(text, offset),
    path === null || called !== null ? null : liveValue({ path, about: "value" }),
    detailLevel === 1 ? language.source(text, offset) : null,
  ]);
  const known = value === "busy" ? BUSY : value?.text;
  return found([
    known ? { text: known, markdown: value === "busy" ? `*${known}*` : fenced(known, "") } : null,
    hover,
    source === null ? null : { text: source, markdown: `**Source**\n\n${fenced(source, "typescript")}` },
  ]);
}

function found(parts: readonly ({ readonly text: string; readonly markdown: string } | null)[]): Json {
  const told = parts.filter((part) => part !== null);
  if (told.length === 0) return { status: "ok", found: false, data: {}, metadata: {} };
  return {
    status: "ok",
    found: true,
    data: {
      "text/plain": told.map(({ text }) => text).join("\n\n"),
      "text/markdown": told.map(({ markdown }) => markdown).join("\n\n"),
    },
    metadata: {},
  };
}

function fenced(text: string, language: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

/** A half-written magic line: `%me`, or `%flush o`. Nothing of TypeScript is offered there. */
async function completeMagic(
  code: string,
  offset: number,
  { directory }: Sources,
): Promise<Completions | null> {
  const lineStart = code.lastIndexOf("\n", offset - 1) + 1;
  const typed = code.slice(lineStart, offset);
  const completions = completeMagicLine(typed);
  if (completions === null || !scan(code).topLevelLines.has(lineStart)) return null;
  const word = typed.slice(completions.start);
  if (completions.mayBeFile) {
    const start = offset - word.length + word.lastIndexOf("/") + 1;
    return { start, end: offset, items: await fileNames(directory, word) };
  }
  const part = word.toLowerCase();
  const items = completions.items.filter(({ text }) => text.toLowerCase().startsWith(part));
  return { start: lineStart + completions.start, end: offset, items };
}

/** The help of the magic on the cursor's line, if the cursor is at its name or at words that are not TypeScript. */
function magicAt(code: string, cursor: number): string | null {
  const lineStart = code.lastIndexOf("\n", cursor - 1) + 1;
  const line = /^[^\n]*/.exec(code.slice(lineStart))?.[0] ?? "";
  const match = /^[ \t]*(?<percents>%%?)(?<name>[A-Za-z]\w*)/.exec(line);
  const magic = GRAMMARS.get(match?.groups?.["name"] ?? "");
  if (match === null || magic === undefined || !scan(code).topLevelLines.has(lineStart)) return null;
  const argument = match.groups?.["percents"] === "%%" ? magic.cell?.argument : magic.line;
  const isCode = argument?.kind === "code" && cursor > lineStart + match[0].length;
  return isCode ? null : helpOf(magic).trimEnd();
}

/**
 * Blanks the magic lines, because they are not TypeScript. A text with an unknown magic stays as it is: the user is
 * still writing it.
 */
function withoutMagics(code: string): string {
  try {
    return codeOfCell(code);
  } catch {
    return code;
  }
}
