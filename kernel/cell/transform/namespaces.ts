// Compiles namespaces that export a variable which changes, and those that add to another declaration of their name. esbuild
// replaces each use of an export with the namespace's property, in every block of the name; the transformer does so for
// constants of one block only. The rest of the text stays as it is.
//
//     namespace N { export let n = 0; export const up = () => ++n }
//     ->   var N; ((N2) => { N2.n = 0; N2.up = () => ++N2.n; })(N || (N = {}));
//
//     enum E { A } namespace E { export let last = E.A }
//     ->   enum E { A } ((E2) => { E2.last = E.A; })(E || (E = {}));
import { decodedMappings } from "@jridgewell/trace-mapping";
import { MagicString } from "magic-string";
import type { Node, Program, Statement } from "oxc-parser";
import { RESERVED_PREFIX } from "../names.ts";
import { runEsbuild } from "./esbuild.ts";
import { parseTypeScript } from "../../../lib/typescript/parse.ts";
import { mapOf, type Mapped, type Replacement, replaceMapped, unchanged } from "./source_map.ts";
import { walk } from "../../../lib/typescript/walk.ts";

/** Stands between the declarations of a name while esbuild compiles them. */
const BETWEEN = `${RESERVED_PREFIX}between();`;

/** All that esbuild needs to know of a class, a function or an enum of the name: that it is there. */
const STANDS_IN = `${RESERVED_PREFIX}stands_in`;

/** Whether a namespace adds to another declaration of its name. */
export function mergesNamespaces(text: string): boolean {
  if (!/\bnamespace\s/.test(text)) return false;
  return [...namesakes(parseTypeScript(text).program).values()].some(isMerged);
}

export function lowerNamespaces(text: string): Mapped {
  const replacements = [...namesakes(parseTypeScript(text).program).values()]
    .filter((group) => isMerged(group) || group.some(changes))
    .flatMap((group) => lowerGroup(text, group));
  return replaceMapped(
    unchanged(text),
    replacements.toSorted((a, b) => a.start - b.start),
  );
}

/** Top-level statements that declare a value of one name, of names that a namespace declares. */
function namesakes(program: Program): Map<string, Statement[]> {
  const groups = new Map<string, Statement[]>();
  for (const statement of program.body) {
    const name = nameOf(declarationOf(statement));
    if (name !== null) groups.set(name, [...(groups.get(name) ?? []), statement]);
  }
  return new Map([...groups].filter(([, group]) => group.some(isNamespace)));
}

const isMerged = (group: readonly Statement[]): boolean => group.length > 1;

const declarationOf = (statement: Statement): Node =>
  (statement.type === "ExportNamedDeclaration" ? statement.declaration : null) ?? statement;

function nameOf(node: Node): string | null {
  if (!MERGING.has(node.type) || !("id" in node) || ("declare" in node && node.declare)) return null;
  let id = node.id as Node | null;
  while (id?.type === "TSQualifiedName") id = id.left;
  return id?.type === "Identifier" ? id.name : null;
}

const MERGING: ReadonlySet<string> = new Set([
  "TSModuleDeclaration",
  "TSEnumDeclaration",
  "ClassDeclaration",
  "FunctionDeclaration",
]);

const isNamespace = (statement: Statement): boolean =>
  declarationOf(statement).type === "TSModuleDeclaration";

function changes(statement: Statement): boolean {
  let found = false;
  walk(statement, (inner) => {
    const { declaration } = inner.type === "ExportNamedDeclaration" ? inner : { declaration: null };
    found ||= declaration?.type === "VariableDeclaration" && declaration.kind !== "const";
    return !found;
  });
  return found;
}

/** esbuild is given all declarations of the name, and the transformer goes on with its namespaces compiled. */
function lowerGroup(text: string, group: readonly Statement[]): Replacement[] {
  const source = new MagicString(text);
  let end = 0;
  for (const statement of group) {
    source.remove(end, statement.start);
    source.prependRight(statement.start, `\n${BETWEEN}\n`);
    if (!isNamespace(statement))
      source.update(
        statement.start,
        statement.end,
        `namespace ${nameOf(declarationOf(statement))} { export let ${STANDS_IN}: any }`,
      );
    end = statement.end;
  }
  source.remove(end, text.length);
  const { code, mappings } = runEsbuild(source.toString(), "ts", "esnext");
  const [lines, segments] = [code.split("\n"), decodedMappings(mapOf(mappings))];
  const starts = lines.flatMap((line, at) => (line === BETWEEN ? [at + 1] : []));
  return group.flatMap((statement, at) => {
    const [from, to] = [starts[at] as number, (starts[at + 1] ?? lines.length + 1) - 1];
    if (!isNamespace(statement)) return [];
    const [part, own] = [lines.slice(from, to).join("\n"), segments.slice(from, to)];
    return [{ start: statement.start, end: statement.end, text: part, mappings: own, source }];
  });
}
