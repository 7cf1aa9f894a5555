// Every import of the packages that are depended upon most: what the checker accepts, the session loads, and what is named
// is what Node has. `npm run test:packages-of-npm` installs them from the registry, which `npm test` does not need.
import { readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { Notebook } from "../kernel/session/notebook.ts";
import { type Accepted, acceptedImports } from "./accepted_imports.ts";

const folder = process.env["MPSLAB_PACKAGES_OF_NPM"]!;
const { packages, reasons } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "packages.json"), "utf8"),
) as { readonly packages: Record<string, string>; readonly reasons: Record<string, string> };
/** Some of them, where the environment names them. */
const chosen = process.env["MPSLAB_PACKAGES"]?.split(",");
const names = Object.keys(packages).filter((name) => chosen === undefined || chosen.includes(name));
const accepted = acceptedImports(folder, names);

/**
 * What Node has under each name, by whichever way loads the module: `typeof` of it. Asked of a process of its own. Null
 * where neither does: a module for browsers, or declarations only.
 */
function namesInNode(specifier: string): ReadonlyMap<string, string> | null {
  const program = `
    import { createRequire } from "node:module";
    const ofFunctions = ["length", "name", "prototype", "arguments", "caller"];
    const found = {};
    let isLoaded = false;
    const add = (module) => {
      isLoaded = true;
      if (typeof module !== "object" && typeof module !== "function") return;
      for (let at = module; at && at !== Object.prototype && at !== Function.prototype; at = Object.getPrototypeOf(at))
        for (const name of Object.getOwnPropertyNames(at))
          if (!(typeof module === "function" && ofFunctions.includes(name))) found[name] ??= typeof module[name];
    };
    try { add(createRequire(import.meta.url)(${JSON.stringify(specifier)})); } catch {}
    try { add(await import(${JSON.stringify(specifier)})); } catch {}
    console.log("\\n" + JSON.stringify(isLoaded ? found : null));
    process.exit(0);`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: folder,
    encoding: "utf8",
  });
  const found = JSON.parse(stdout.trim().split("\n").at(-1) || "null") as Record<string, string> | null;
  return found && new Map(Object.entries(found));
}

const UNNAMED: ReadonlySet<string> = new Set(["default", "__esModule", "constructor", "module.exports"]);

/** A cell with every form. Its result lists each value that is not what Node has. Null where Node has nothing. */
function cellOf({ specifier, forms, names: typed, defaultKind }: Accepted): string | null {
  const inNode = namesInNode(specifier);
  if (inNode === null) return null;
  const named = [...(typed ?? inNode).keys()].filter(
    (name) => inNode.has(name) && !UNNAMED.has(name) && /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name),
  );
  const lines = [
    forms.includes("namespace")
      ? `import * as all from "${specifier}";`
      : `const all = await import("${specifier}");`,
    ...(named.length > 0
      ? [`import { ${named.map((name, at) => `${name} as n${at}`).join(", ")} } from "${specifier}";`]
      : []),
    `const later: any = await import("${specifier}");`,
    "const wrong: string[] = [];",
    "const check = (what: string, value: unknown, type: string) => { if (typeof value !== type) wrong.push(`${what} is ${typeof value}, not ${type}`) };",
  ];
  if (forms.includes("default")) {
    lines.push(`import given from "${specifier}";`);
    if (defaultKind === "function")
      lines.push(`check("default", given, "function"); check("later.default", later.default, "function");`);
    else lines.push(`if (given === undefined) wrong.push("no default");`);
  }
  for (const [at, name] of named.entries()) {
    const type = JSON.stringify(inNode.get(name));
    lines.push(
      `check("${name}", n${at}, ${type}); check("all.${name}", (all as any)["${name}"], ${type}); check("later.${name}", later["${name}"], ${type});`,
    );
  }
  if (forms.includes("require"))
    lines.push(
      `import required = require("${specifier}"); if (required === undefined) wrong.push("no require");`,
    );
  lines.push("wrong.join('; ')");
  return lines.join("\n");
}

describe.each(names)("%s", (name) => {
  const imports = accepted.get(name)!;
  it("is accepted by the checker", () => {
    expect(imports[0]?.specifier).toBe(name);
  });

  it("loads by every form that is accepted, with every name", async () => {
    const wrong: string[] = [];
    const notebook = new Notebook();
    symlinkSync(path.join(folder, "node_modules"), path.join(notebook.directory, "node_modules"));
    try {
      for (const each of imports) {
        const cell = cellOf(each);
        if (cell === null) continue;
        const { text, done } = await notebook.run(cell);
        if (done.error) wrong.push(`${each.specifier}: ${done.error.evalue.slice(0, 300)}`);
        else if (text !== "''") wrong.push(`${each.specifier}: ${String(text)}`);
      }
    } finally {
      await notebook.close();
    }
    if (reasons[name] === undefined) expect(wrong.join("\n")).toBe("");
    else expect(wrong, `${name} works now: take its reason out of the list`).not.toEqual([]);
  });
});
