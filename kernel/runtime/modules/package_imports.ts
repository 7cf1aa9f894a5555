// Rewrites a local file's imports of CommonJS packages, so that it can import every name that TypeScript allows, as a
// cell can. Node would refuse the file if it did not find one of the names in the package's text.
//
//     import _, { groupBy } from "lodash";
//     ->  import * as __mpslab_all0 from "lodash"; const { default: _, groupBy } = __mpslab_checked(__mpslab_all0,
// "lodash");
import { existsSync, readFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import path from "node:path";
import { MagicString } from "magic-string";
import type { ExportNamedDeclaration, ImportDeclaration, ModuleExportName } from "oxc-parser";
import { RESERVED_PREFIX } from "../../cell/names.ts";
import { parseJavaScript } from "../../../lib/typescript/parse.ts";
import { type Mapped, throughMap } from "../../cell/transform/source_map.ts";

const ALL = `${RESERVED_PREFIX}all`;
const CHECKED = `${RESERVED_PREFIX}checked`;
/** The specifier under which the loader's hooks provide that function. */
export const CHECKED_PACKAGE = `${RESERVED_PREFIX}checked_package`;

/** @param compiled JavaScript of the file, with one import on each line */
export function withCheckedImports(compiled: Mapped, file: string): Mapped {
  if (!/^(?:import|export)\b[^"'(]*from\s*["'][^."'/#]/m.test(compiled.code)) return compiled;
  const output = new MagicString(compiled.code);
  let count = 0;
  for (const node of parseJavaScript(compiled.code).program.body) {
    const isImport = node.type === "ImportDeclaration";
    if (!isImport && !(node.type === "ExportNamedDeclaration" && node.source !== null)) continue;
    if (node.specifiers.length === 0 || !isCommonJsPackage(node.source!.value, file)) continue;
    const all = `${ALL}${count++}`;
    output.overwrite(node.start, node.end, isImport ? rewritten(node, all) : rewrittenExport(node, all));
  }
  if (count === 0) return compiled;
  output.prepend(`import { ${CHECKED} } from ${JSON.stringify(CHECKED_PACKAGE)}; `);
  const mappings = output.generateMap({ hires: "boundary" }).mappings;
  return throughMap({ code: output.toString(), mappings }, compiled.mappings);
}

function rewritten({ specifiers, source }: ImportDeclaration, all: string): string {
  const specifier = JSON.stringify(source.value);
  const constants = specifiers.flatMap((each) =>
    each.type === "ImportNamespaceSpecifier"
      ? [`${each.local.name} = ${CHECKED}(${all}, ${specifier}, [])`]
      : [],
  );
  const named = specifiers.flatMap((each) => {
    if (each.type === "ImportNamespaceSpecifier") return [];
    return [
      { name: each.type === "ImportSpecifier" ? nameOf(each.imported) : "default", local: each.local.name },
    ];
  });
  const members = named.map(({ name, local }) => `${JSON.stringify(name)}: ${local}`);
  const asked = JSON.stringify(named.map(({ name }) => name));
  if (named.length > 0)
    constants.push(`{ ${members.join(", ")} } = ${CHECKED}(${all}, ${specifier}, ${asked})`);
  return `import * as ${all} from ${specifier}; const ${constants.join(", ")};`;
}

/** `export { groupBy as by } from "lodash"` */
function rewrittenExport({ specifiers, source }: ExportNamedDeclaration, all: string): string {
  const specifier = JSON.stringify(source!.value);
  const asked = JSON.stringify(specifiers.map(({ local }) => nameOf(local)));
  const constants = specifiers.map(({ local }, at) => `${JSON.stringify(nameOf(local))}: ${all}_${at}`);
  const exported = specifiers.map((each, at) => `${all}_${at} as ${JSON.stringify(nameOf(each.exported))}`);
  return `import * as ${all} from ${specifier}; const { ${constants.join(", ")} } = ${CHECKED}(${all}, ${specifier}, ${asked}); export { ${exported.join(", ")} };`;
}

const nameOf = (name: ModuleExportName): string => (name.type === "Literal" ? name.value : name.name);

function isCommonJsPackage(specifier: string, importer: string): boolean {
  if (
    /^[./#]|^\w+:/.test(specifier) ||
    isBuiltin(specifier) ||
    specifier === "mpslab" ||
    specifier === "tslab"
  )
    return false;
  try {
    return isCommonJs(createRequire(importer).resolve(specifier));
  } catch {
    return false; // The package is for ES modules only, or missing.
  }
}

/** Decides by the file's extension, then by the `type` of its package. */
function isCommonJs(file: string): boolean {
  if (!file.endsWith(".js")) return file.endsWith(".cjs");
  for (let folder = path.dirname(file); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const manifest = path.join(folder, "package.json");
    if (existsSync(manifest))
      return (JSON.parse(readFileSync(manifest, "utf8")) as { readonly type?: string }).type !== "module";
  }
  return true;
}
