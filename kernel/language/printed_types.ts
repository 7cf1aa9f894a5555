// Prints the types of a cell's values, so that later cells read `number[]` instead of checking the cell again. When
// every earlier cell was checked again, the 2,000th cell took 147 ms. Uses the compiler's own protocol,
// `typescript/unstable`. A type that cannot be printed and read again is left to the cell's text.
import type { Declared } from "../cell/analyze.ts";
import { NAME_PART } from "../../lib/typescript/identifiers.ts";
import { RESERVED_PREFIX } from "../cell/names.ts";
import { CELL_MODULE, NAMES_MODULE } from "./notebook.ts";
import type { LanguageServer } from "./server/server.ts";
import { withSnapshot } from "./server/snapshot.ts";

/**
 * A module without names of the notebook. Types are printed as seen from it, so that they contain what they need:
 * `import("./cell").Model`.
 */
const NOWHERE_MODULE = `${RESERVED_PREFIX}nowhere`;
const NOWHERE_TEXT = `const ${NOWHERE_MODULE} = 0;\nexport {};\n`;
/** The position of that module's only name: the server prints types as seen from its declaration. */
const NOWHERE_POSITION = NOWHERE_TEXT.indexOf(NOWHERE_MODULE);
const PROBE_MODULE = `${RESERVED_PREFIX}probe`;

/**
 * A longer printed type is slower to parse and compare than the cell that it comes from. The type of a whole module is
 * that long.
 */
const LONGEST_TYPE = 4_000;

/** Print the whole type, however long (`NodeBuilderFlags.NoTruncation`). */
const NO_TRUNCATION = 1;
/** Type identity, including `any` and optional properties, which assignability does not distinguish. */
const SAME =
  "type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;";

interface Handle {
  readonly id: number;
}

interface SymbolHandle extends Handle {
  /** Handles of the declarations' nodes. */
  readonly declarations?: readonly string[];
}

interface Printed {
  readonly name: string;
  readonly type: string;
  /** Whether the type comes from what was assigned, and so differs from the declaration's. */
  readonly inferredFromUse: boolean;
}

/** Documents that must be open before a check, so that opening them later does not rebuild the program. */
export function printerDocuments(): [module: string, text: string][] {
  return [
    [NOWHERE_MODULE, NOWHERE_TEXT],
    [PROBE_MODULE, probeText([])],
  ];
}

/** Types by name, for those values of the cell's module whose printed type means the same as the declaration. */
export async function printTypes(
  server: LanguageServer,
  values: readonly Declared[],
  reads: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, string>> {
  const printed = (await print(server, values, reads)).filter(({ type }) => type.length <= LONGEST_TYPE);
  const doubtful = printed.filter(({ type }) => !isPlain(type));
  const wrong = doubtful.length === 0 ? new Set<string>() : await misprinted(server, doubtful);
  return new Map(printed.filter(({ name }) => !wrong.has(name)).map(({ name, type }) => [name, type]));
}

function print(
  server: LanguageServer,
  values: readonly Declared[],
  reads: ReadonlyMap<string, number>,
): Promise<Printed[]> {
  const file = server.path(`${CELL_MODULE}.ts`);
  const positions = values.map(({ name }) => reads.get(name) ?? 0);
  return withSnapshot(server, async (ask) => {
    const [symbols, nowhere, used] = await Promise.all([
      ask<(SymbolHandle | null)[]>("getSymbolsAtPositions", { file, positions }),
      ask<(SymbolHandle | null)[]>("getSymbolsAtPositions", {
        file: server.path(`${NOWHERE_MODULE}.ts`),
        positions: [NOWHERE_POSITION],
      }),
      ask<(Handle | null)[]>("getTypesAtPositions", { file, positions }),
    ]);
    const known = values.flatMap(({ name }, index) => {
      const symbol = symbols[index];
      const atUse = used[index];
      return symbol && atUse ? [{ name, symbol, atUse }] : [];
    });
    const types = await ask<(Handle | null)[]>("getTypesOfSymbols", {
      symbols: known.map(({ symbol }) => symbol.id),
    });
    const location = nowhere[0]?.declarations?.[0];
    const toText = (type: Handle) =>
      ask<string>("typeToString", { type: type.id, flags: NO_TRUNCATION, location });
    return Promise.all(
      known.map(async ({ name, atUse }, index): Promise<Printed> => {
        const declared = types[index];
        const type = declared ? await toText(declared) : "any";
        if (type !== "any" && type !== "any[]") return { name, type, inferredFromUse: false };
        return { name, type: evolved(type, await toText(atUse)), inferredFromUse: true };
      }),
    );
  });
}

/**
 * The type of `let best = null` or `const losses = []` for later cells: that of what the cell assigned or pushed. If
 * the cell did neither, it stays any, and later cells may put anything there.
 */
function evolved(declared: string, atUse: string): string {
  const parts = atUse.split(" | ");
  return parts.every((part) => NOTHING_YET.has(part)) ? declared : atUse;
}

const NOTHING_YET = new Set(["null", "undefined", "never", "never[]", "any", "any[]"]);

/**
 * Whether a printed type can only mean what it says: basic types, names with their module, and the names of properties
 * and parameters. Others (`Map<...>`, a class that a function declares) are compared by the checker.
 */
function isPlain(type: string): boolean {
  const words = type.replace(CERTAIN, " ").match(WORD) ?? [];
  return words.every((word) => BASIC_TYPES.has(word) || /^\d/.test(word));
}

/**
 * `import("./cell").Model`, `"text"`, and the names of properties and parameters, `name:` or `name?:`. Printed
 * conditional types do not look like these.
 */
const CERTAIN = new RegExp(
  String.raw`import\("[^"]*"\)(?:\.${NAME_PART}+)+|"(?:[^"\\]|\\.)*"|${NAME_PART}+\??:`,
  "gu",
);

const WORD = new RegExp(`${NAME_PART}+`, "gu");

const BASIC_TYPES = new Set(
  "any bigint boolean false never null number object readonly string symbol true undefined unknown void".split(
    " ",
  ),
);

function probeText(printed: readonly Printed[]): string {
  // The module of names is always imported, so that the probe's imports stay the same whatever the cell uses.
  const imports = `import type {} from "./${NAMES_MODULE}"; import type * as cell from "./${CELL_MODULE}"; ${SAME}`;
  const lines = printed.map(({ name, type, inferredFromUse }, index) =>
    inferredFromUse
      ? `export type T${index} = ${type};`
      : `export const t${index}: Same<typeof cell.${name}, ${type}> = true;`,
  );
  return [imports, ...lines, "export {};", ""].join("\n");
}

/** The names whose printed type is not identical to the declared one, as the checker finds. */
async function misprinted(server: LanguageServer, printed: readonly Printed[]): Promise<Set<string>> {
  server.setDocument(`${PROBE_MODULE}.ts`, probeText(printed));
  const { items } = await server.request<{
    items: readonly { severity?: number; range: { start: { line: number } } }[];
  }>("textDocument/diagnostic", { textDocument: { uri: server.uri(`${PROBE_MODULE}.ts`) } });
  const wrong = new Set<string>();
  for (const { severity, range } of items) {
    const at = printed[range.start.line - 1];
    if (severity === 1 && at !== undefined) wrong.add(at.name);
  }
  return wrong;
}
