// What an editor asks about a cell: completion and inspection. Turns the protocol's positions into offsets and back,
// and the language's answers into contents of replies.
import { readMagics } from "./cell/magics.ts";
import { scan } from "./cell/scan.ts";
import type { Completions } from "./language/service.ts";
import { completeMagicLine } from "./magics/completion.ts";
import { toCodePoints, toOffset } from "./protocol/code_points.ts";
import type { Json } from "./protocol/messages.ts";
import type { CursorRequest } from "./protocol/requests.ts";
import type { Language } from "./rooms.ts";

export async function complete({ code, cursorPos }: CursorRequest, language: Language): Promise<Json> {
  const offset = toOffset(code, cursorPos);
  const { start, end, items } =
    completeMagic(code, offset) ?? (await language.complete(withoutMagics(code), offset));
  const typed = code.slice(start, offset).toLowerCase();
  const matching = items.filter(({ text }) => text.toLowerCase().startsWith(typed));
  const range = { start: toCodePoints(code, start), end: toCodePoints(code, end) };
  return {
    status: "ok",
    matches: matching.map(({ text }) => text),
    cursor_start: range.start,
    cursor_end: range.end,
    metadata: {
      _jupyter_types_experimental: matching.map(({ text, kind, signature }) => ({
        ...range,
        text,
        type: kind,
        ...(signature === undefined ? {} : { signature }),
      })),
    },
  };
}

/** @param liveValue what the session knows of an expression, or null; asked beside the type */
export async function inspect(
  { code, cursorPos }: CursorRequest,
  language: Language,
  liveValue: (expression: string) => Promise<string | null>,
): Promise<Json> {
  const offset = nameOffset(code, toOffset(code, cursorPos));
  const expression = dottedName(code, offset);
  const [hover, value] = await Promise.all([
    language.hover(withoutMagics(code), offset),
    expression === null ? null : liveValue(expression),
  ]);
  if (hover === null && value === null) return { status: "ok", found: false, data: {}, metadata: {} };
  return {
    status: "ok",
    found: true,
    data: {
      "text/plain": [value, hover?.text].filter((part) => part != null).join("\n\n"),
      "text/markdown": [value === null ? null : `\`\`\`\n${value}\n\`\`\``, hover?.markdown]
        .filter((part) => part != null)
        .join("\n\n"),
    },
    metadata: {},
  };
}

/** `%me`, or `%flush o`: what a magic line is about to say. Nothing of TypeScript belongs there. */
function completeMagic(code: string, offset: number): Completions | null {
  const lineStart = code.lastIndexOf("\n", offset - 1) + 1;
  const completions = completeMagicLine(code.slice(lineStart, offset));
  if (completions === null || !scan(code).topLevelLines.has(lineStart)) return null;
  return { start: lineStart + completions.start, end: offset, items: completions.items };
}

/** Magic lines are no TypeScript. A text with an unknown one is passed as it is: it is still being written. */
function withoutMagics(code: string): string {
  try {
    return readMagics(code).typescript;
  } catch {
    return code;
  }
}

const NAME_CHARACTER = /[\p{ID_Continue}$]/u;

/** Where to look: the name that the cursor touches, else the function whose arguments it stands in. */
function nameOffset(code: string, cursor: number): number {
  const touches = (offset: number): boolean => NAME_CHARACTER.test(code[offset] ?? "");
  if (touches(cursor)) return cursor;
  if (touches(cursor - 1)) return cursor - 1;
  let closed = 0;
  for (let at = cursor - 1; at > 0; at--) {
    if (code[at] === ")") closed++;
    else if (code[at] === "(" && closed-- === 0) return touches(at - 1) ? at - 1 : cursor;
  }
  return cursor;
}

/** `model.weight` for a cursor in `weight`: from the start of the chain to the end of the name at the offset. */
function dottedName(code: string, offset: number): string | null {
  const before = /[\p{ID_Start}$_][\p{ID_Continue}$]*(?:\.[\p{ID_Start}$_][\p{ID_Continue}$]*)*$/u.exec(
    code.slice(0, offset + 1),
  );
  if (before === null) return null;
  const after = /^[\p{ID_Continue}$]*/u.exec(code.slice(offset + 1))?.[0] ?? "";
  return before[0] + after;
}
