// `%who`: lists the names that cells have declared, with their types, sizes and bytes.
import { types } from "node:util";
import { clipped, counted } from "../../lib/words.ts";
import { classOf, isTensor } from "../tensor_like.ts";
import type { SessionHandler } from "./handler.ts";

const LONGEST_TYPE = 60;
const HEADINGS = ["name", "type", "holds", "bytes"] as const;

/** What is shown as the type of names that have no printed type. */
const KINDS: Readonly<Record<string, (name: string) => string>> = {
  import: () => "import",
  class: (name) => `typeof ${name}`,
  enum: (name) => `typeof ${name}`,
  namespace: (name) => `typeof ${name}`,
};

export interface NamedValue {
  readonly name: string;
  readonly type: string;
  /** `[2, 3] float32 on cpu`, `1,000 elements`; empty if nothing can be counted. */
  readonly size: string;
  readonly bytes: number | null;
}

export const who: SessionHandler<"who"> = async (_, session) => {
  const { formatBytes } = await session.units();
  const rows = session.names.flatMap(({ name, runtimeName, kind, type }) => {
    const held = session.valueOf(runtimeName);
    if (held === null) return [];
    const typeText = shownType(type ?? KINDS[kind]?.(name) ?? typeOf(held.value));
    return [{ name, type: typeText, ...measure(held.value) }];
  });
  if (rows.length === 0) return session.print("No cell has declared a name yet.\n");
  const { tableBundle } = await session.views();
  session.show(
    tableBundle({
      caption: "",
      // Programs read this text: a line of headings, then a line for each name.
      whole: true,
      columns: HEADINGS.map((heading) => ({ heading, align: heading === "bytes" ? "right" : "left" })),
      rows: rows.map(({ name, type, size, bytes }) => [
        ...[name, type, size],
        bytes === null ? "" : formatBytes(bytes),
      ]),
    }),
  );
};

/** Returns the size of a value, as far as it can be found without running the value's code. */
export function measure(value: unknown): Pick<NamedValue, "size" | "bytes"> {
  if (typeof value === "string") return { size: counted(value.length, "character"), bytes: null };
  if (typeof value !== "object" || value === null || types.isProxy(value)) return { size: "", bytes: null };
  if (Array.isArray(value)) return { size: counted(value.length, "element"), bytes: null };
  if (value instanceof Map || value instanceof Set)
    return { size: counted(value.size, "entry"), bytes: null };
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) {
    return { size: "", bytes: value.byteLength };
  }
  if (ArrayBuffer.isView(value)) {
    const size = "length" in value ? counted(Number(value.length), "element") : "";
    return { size, bytes: value.byteLength };
  }
  if (isTensor(value) && !value.isDisposed) {
    return { size: `[${value.shape.join(", ")}] ${value.dtype} on ${value.device}`, bytes: value.nbytes };
  }
  return { size: "", bytes: null };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  return classOf(value);
}

function shownType(type: string): string {
  return clipped(type.replace(/import\("[^"]*"\)\./g, "").replace(/\s+/g, " "), LONGEST_TYPE);
}
