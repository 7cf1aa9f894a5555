// Checks the contents of requests once as they arrive. After that, their TypeScript types hold.
import type { Json } from "./messages.ts";
import { preview } from "./preview.ts";

/** A request of a known type, one of whose fields has a wrong type. The client gets it as an error reply. */
export class ContentError extends TypeError {
  override readonly name = "TypeError";
}

export interface ExecuteRequest {
  readonly code: string;
  readonly silent: boolean;
  readonly storeHistory: boolean;
  readonly userExpressions: Readonly<Record<string, string>>;
  readonly allowStdin: boolean;
  readonly stopOnError: boolean;
  /** Identifies the cell across its runs. Null if the front end does not send it; JupyterLab does. */
  readonly cellId: string | null;
  /** Cells that were deleted since the last request, if the front end sends them, as JupyterLab does. */
  readonly deletedCells: readonly string[];
}

/** @param metadata of the message; front ends may put anything into it */
export function readExecuteRequest(content: Json, metadata: Json = {}): ExecuteRequest {
  const { cellId, deletedCells } = metadata;
  const silent = readBoolean(content, "silent", false);
  return {
    code: readString(content, "code"),
    silent,
    // "If silent is true, store_history is forced to be false."
    storeHistory: readBoolean(content, "store_history", !silent) && !silent,
    userExpressions: readExpressions(content["user_expressions"] ?? {}),
    allowStdin: readBoolean(content, "allow_stdin", true),
    stopOnError: readBoolean(content, "stop_on_error", true),
    cellId: typeof cellId === "string" ? cellId : null,
    deletedCells: Array.isArray(deletedCells)
      ? deletedCells.filter((cell): cell is string => typeof cell === "string")
      : [],
  };
}

/** `complete_request`. */
export interface CursorRequest {
  readonly code: string;
  /** The cursor's position in code points. */
  readonly cursorPos: number;
}

export function readCursorRequest(content: Json): CursorRequest {
  const code = readString(content, "code");
  return { code, cursorPos: readInteger(content, "cursor_pos", code.length) };
}

export interface InspectRequest extends CursorRequest {
  /** 1 asks for the source text too, as IPython's `??` does. */
  readonly detailLevel: number;
}

export function readInspectRequest(content: Json): InspectRequest {
  return { ...readCursorRequest(content), detailLevel: readInteger(content, "detail_level", 0) };
}

export type HistoryRequest = {
  readonly output: boolean;
  /** Whether inputs are wanted as they were written, and not as they ran. */
  readonly raw: boolean;
} & (
  | { readonly access: "tail"; readonly n: number }
  | { readonly access: "range"; readonly session: number; readonly start: number; readonly stop: number }
  | { readonly access: "search"; readonly pattern: string; readonly n: number; readonly unique: boolean }
);

export function readHistoryRequest(content: Json): HistoryRequest {
  const form = { output: readBoolean(content, "output", false), raw: readBoolean(content, "raw", true) };
  const access = readString(content, "hist_access_type");
  const n = readInteger(content, "n", Number.MAX_SAFE_INTEGER);
  switch (access) {
    case "tail":
      return { ...form, access, n };
    case "range":
      return {
        ...form,
        access,
        session: readInteger(content, "session", 0),
        start: readInteger(content, "start", 1),
        stop: readInteger(content, "stop", Number.MAX_SAFE_INTEGER),
      };
    case "search":
      return {
        ...form,
        access,
        n,
        pattern: readString(content, "pattern", "*"),
        unique: readBoolean(content, "unique", false),
      };
    default:
      throw new ContentError(`hist_access_type must be "tail", "range" or "search", not "${access}"`);
  }
}

export function readString(content: Json, field: string, fallback?: string): string {
  const value = content[field] ?? fallback;
  if (typeof value !== "string") throw wrong(field, "a string", value);
  return value;
}

export function readBoolean(content: Json, field: string, fallback: boolean): boolean {
  const value = content[field] ?? fallback;
  if (typeof value !== "boolean") throw wrong(field, "true or false", value);
  return value;
}

/** Empty if the field is missing. */
export function readObject(content: Json, field: string): Json {
  const value = content[field] ?? {};
  if (typeof value !== "object" || Array.isArray(value)) throw wrong(field, "an object", value);
  return value as Json;
}

function readInteger(content: Json, field: string, fallback: number): number {
  const value = content[field] ?? fallback;
  if (typeof value !== "number" || !Number.isInteger(value)) throw wrong(field, "an integer", value);
  return value;
}

function readExpressions(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw wrong("user_expressions", "an object of expressions", value);
  }
  for (const [key, expression] of Object.entries(value)) {
    if (typeof expression !== "string") throw wrong(`user_expressions.${key}`, "a string", expression);
  }
  return value as Record<string, string>;
}

function wrong(field: string, wanted: string, value: unknown): ContentError {
  return new ContentError(
    value === undefined ? `${field} is missing` : `${field} must be ${wanted}, not ${preview(value)}`,
  );
}
