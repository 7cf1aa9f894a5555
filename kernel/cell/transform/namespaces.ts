// Compiles namespaces that export a variable which changes. esbuild replaces each use of it with the namespace's
// property; the transformer allows constants alone. The rest of the text stays as it is.
//
//     namespace N { export let n = 0; export const up = () => ++n }
//     ->   var N; ((N2) => { N2.n = 0; N2.up = () => ++N2.n; })(N || (N = {}));
import { MagicString } from "magic-string";
import type { Node } from "oxc-parser";
import { runEsbuild } from "./esbuild.ts";
import { parseTypeScript } from "../parse/parse.ts";
import { type Mapped, replaceMapped, unchanged } from "./source_map.ts";
import { walk } from "../parse/walk.ts";

export function lowerNamespaces(text: string): Mapped {
  const found = parseTypeScript(text).program.body.filter((statement) => isNamespace(statement));
  const replacements = found.map(({ start, end }) => {
    const source = new MagicString(text);
    source.remove(0, start);
    source.remove(end, text.length);
    const { code, mappings } = runEsbuild(source.toString(), "ts", "esnext");
    return { start, end, text: code, mappings, source };
  });
  return replaceMapped(unchanged(text), replacements);
}

function isNamespace(statement: Node): boolean {
  const node = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  if (node?.type !== "TSModuleDeclaration" || node.declare) return false;
  let changes = false;
  walk(node, (inner) => {
    const { declaration } = inner.type === "ExportNamedDeclaration" ? inner : { declaration: null };
    changes ||= declaration?.type === "VariableDeclaration" && declaration.kind !== "const";
    return !changes;
  });
  return changes;
}
