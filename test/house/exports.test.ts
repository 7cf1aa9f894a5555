// Every exported value is somebody's: another file imports it, or a cell can, through `lib/index.ts`. What its own file
// alone uses is not exported. Types may be: they describe what exported functions take and return.
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { filesOf, resolveImport, root } from "./sources.ts";

const PUBLIC = "lib/index.ts";

/** Exports that no import statement names, and who takes them. */
const TAKEN_OTHERWISE: Readonly<Record<string, string>> = {
  "docs/site/typedoc/plugin.mjs": "TypeDoc calls load",
  "docs/site/vitepress/config.ts": "VitePress reads it",
  "docs/site/vitepress/theme/index.ts": "VitePress reads it",
  "kernel/cli/kernelspec.ts": "packages/pack/wheel.mjs writes the wheel's with it, as built",
  "native/setup/for_user.mjs": "kernel/cli/set_up.ts finds it by the package's folder",
  "kernel/runtime/modules/checked_package.ts": "compiled local files import it",
  "kernel/runtime/modules/local_modules.ts": "Node calls the hooks of a loader by their names",
  "lib/torch/optim/list_optimizer.ts": "declarations name the base of a class that a function returns",
};

/** A value of `file` that `by` imports, `*` for all; passed on as `as` where it is exported again. */
interface Use {
  readonly by: string;
  readonly name: string;
  readonly as?: string;
}

const usesOf = new Map<string, Use[]>();
const valuesOf = new Map<string, string[]>();

function use(file: string, use: Use): void {
  usesOf.set(file, [...(usesOf.get(file) ?? []), use]);
}

/** `add` and `mul` of `foreach.add(a, foreach.mul(b, c))`; `*` where the namespace goes somewhere as a whole. */
function membersOf(namespace: string, text: string): string[] {
  const mentions = [...text.matchAll(new RegExp(`(?<![\\w.])${namespace}\\b(?:\\.(\\w+))?`, "g"))];
  // The first is the import itself.
  return mentions.slice(1).map(([, member]) => member ?? "*");
}

for (const by of filesOf("docs", "kernel", "lib", "native", "packages", "test")) {
  if (!/\.(ts|mjs)$/.test(by) || by.startsWith("test/cells/")) continue;
  const text = readFileSync(path.join(root, by), "utf8");
  const { module } = parseSync(by, text);
  const target = (specifier: string) => resolveImport(by, specifier);
  for (const { moduleRequest, entries } of module.staticImports) {
    for (const { importName, localName } of entries) {
      const names =
        importName.kind === "NamespaceObject"
          ? membersOf(localName.value, text)
          : [importName.name ?? "default"];
      for (const name of names) use(target(moduleRequest.value), { by, name });
    }
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const literal = /^["'](.+)["']$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[1];
    if (literal !== undefined) use(target(literal), { by, name: "*" });
  }
  const values: string[] = [];
  for (const { moduleRequest, importName, exportName, isType } of module.staticExports.flatMap(
    ({ entries }) => entries,
  )) {
    const as = exportName.name ?? (exportName.kind === "Default" ? "default" : "*");
    if (moduleRequest) use(target(moduleRequest.value), { by, name: importName.name ?? "*", as });
    else if (!isType) values.push(as);
  }
  valuesOf.set(by, values);
}

/** Whether somebody beside the file takes the name from it. */
function isUsed(file: string, name: string): boolean {
  if (file === PUBLIC) return true;
  const uses = (usesOf.get(file) ?? []).filter((one) => one.name === name || one.name === "*");
  return uses.some(({ by, as }) => as === undefined || isUsed(by, as === "*" ? name : as));
}

describe("what is exported is imported elsewhere", () => {
  it("in every file", () => {
    const unused = [...valuesOf]
      .filter(([file]) => !file.startsWith("test/") && !(file in TAKEN_OTHERWISE))
      .flatMap(([file, names]) =>
        names.filter((name) => !isUsed(file, name)).map((name) => `${file}: ${name}`),
      );
    expect(unused).toEqual([]);
  });

  it.each(Object.entries(TAKEN_OTHERWISE))("%s is excepted rightly: %s", (file) => {
    expect(valuesOf.get(file)!.some((name) => !isUsed(file, name))).toBe(true);
  });
});
