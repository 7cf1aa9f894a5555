// Lists what a cell imports by name, so that the kernel can import it again in a new session. Plain data, which a
// snapshot holds as well.
import type { ImportDeclaration, Program } from "oxc-parser";

export interface ImportedName {
  readonly name: string;
  /** The name in its module: `default`, or `*` for all of them. */
  readonly imported: string;
  readonly module: string;
  readonly typeOnly: boolean;
  /** `{ type: "json" }` */
  readonly with?: Readonly<Record<string, string>>;
}

export function importedNames(program: Program): ImportedName[] {
  return program.body.flatMap((statement) =>
    statement.type === "ImportDeclaration" ? namesOf(statement) : [],
  );
}

function namesOf({ source, specifiers, importKind, attributes }: ImportDeclaration): ImportedName[] {
  const pairs = attributes.map(({ key, value }) => [
    key.type === "Identifier" ? key.name : key.value,
    value.value,
  ]);
  const attached = pairs.length === 0 ? {} : { with: Object.fromEntries(pairs) as Record<string, string> };
  return specifiers.map((specifier) => {
    const isType = specifier.type === "ImportSpecifier" && specifier.importKind === "type";
    const place = { module: source.value, typeOnly: importKind === "type" || isType, ...attached };
    const { name } = specifier.local;
    if (specifier.type === "ImportDefaultSpecifier") return { name, imported: "default", ...place };
    if (specifier.type === "ImportNamespaceSpecifier") return { name, imported: "*", ...place };
    const { imported } = specifier;
    return { name, imported: imported.type === "Literal" ? imported.value : imported.name, ...place };
  });
}

/** `import { a as b } from "x";` */
export function importStatement({ name, imported, module, typeOnly, ...more }: ImportedName): string {
  const clause =
    imported === "*" ? `* as ${name}` : `{ ${memberOf(imported)}${imported === name ? "" : ` as ${name}`} }`;
  const attributes = more.with === undefined ? "" : ` with ${JSON.stringify(more.with)}`;
  return `import ${typeOnly ? "type " : ""}${clause} from ${JSON.stringify(module)}${attributes};`;
}

function memberOf(imported: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(imported) ? imported : JSON.stringify(imported);
}
