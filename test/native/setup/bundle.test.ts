// What set-up bundles is what was compiled: the same library, under the same names, and programs that find each other.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const dist = path.resolve(import.meta.dirname, "../../../dist");
const bundle = path.join(dist, "bundle");
const bundled = readdirSync(bundle, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".js"),
);

const textOf = (file: string): string => readFileSync(path.join(bundle, file), "utf8");

/** The files of the last build: chunks of earlier ones stay for a day. */
function builtLast(): ReadonlySet<string> {
  const found = new Set(bundled.filter((file) => !file.includes("/chunks/")));
  for (const file of found) {
    const imports = textOf(file).matchAll(/(?:from |import |import\()"(\.[^"]+\.js)"/g);
    for (const [, name] of imports) found.add(path.posix.join(path.posix.dirname(file), name!));
  }
  return found;
}

/** Prints the path of each function of a module, and what it calls itself: `nn.Module: Module`. */
const PRINT_NAMES = `
const seen = new Set();
function namesBelow(object, at) {
  return Object.getOwnPropertyNames(object).flatMap((key) => {
    const value = Object.getOwnPropertyDescriptor(object, key)?.value;
    if (Object(value) !== value || seen.has(value)) return [];
    seen.add(value);
    const name = typeof value === "function" ? [at + key + ": " + value.name] : [];
    return [...name, ...namesBelow(value, at + key + ".")];
  });
}
console.log(JSON.stringify(namesBelow(await import(process.argv[1]), "")));`;

it("the library's modules are Node's own, with the functions that were compiled, and each calls itself by its own name", () => {
  const namesIn = (folder: string) => {
    const library = path.join(folder, "lib/index.js");
    const words = ["--input-type=module", "--eval", PRINT_NAMES, library];
    const names = JSON.parse(execFileSync(process.execPath, words, { encoding: "utf8" })) as string[];
    // Modules of one bundle run in another order.
    return names.sort();
  };
  const compiled = namesIn(dist);
  expect(compiled).toContain("cpu.emptyCache: emptyCache");
  expect(compiled).toContain("nn.Module: Module");
  expect(compiled.length).toBeGreaterThan(2000);
  expect(namesIn(bundle)).toEqual(compiled);
});

it("what an interrupt tells from all other code is alone in its file", () => {
  expect(
    [...textOf("kernel/runtime/host.js").matchAll(/^\/\/ (dist\/\S+)$/gm)].map(([, source]) => source),
  ).toEqual(["dist/kernel/runtime/cell_runner.js", "dist/kernel/runtime/host.js"]);
});

it.each(["comms/comms", "deadlines", "display", "session"])(
  "what a session lends to the library is in a file whose name no build changes: lib/%s.js",
  (lent) => {
    const own = `lib/${lent}.js`;
    const ofSessions = [...builtLast()].filter((file) => !file.startsWith("kernel/chunks/"));
    expect(ofSessions.filter((file) => `\n${textOf(file)}`.includes(`\n// dist/${own}\n`))).toEqual([own]);
  },
);

it("the programs and modules that a file names by their addresses are bundled beside it", () => {
  const ADDRESS = /new URL\("([^"]+\.js)", import\.meta\.url\.replace\([^,]*, "\$1([^"]+)"\)\)/g;
  const named = bundled.flatMap((file) =>
    [...textOf(file).matchAll(ADDRESS)].map(([, address, from]) =>
      path.posix.join(path.posix.dirname(from!), address!),
    ),
  );
  expect(named).toContain("bundle/lib/index.js");
  expect(named).toContain("bundle/kernel/runtime/requests.js");
  // Sources that are run as TypeScript name what is built.
  const ofBundles = named.filter((file) => !/^(bundle\/)?dist\//.test(file));
  expect(ofBundles.filter((file) => !existsSync(path.join(dist, file)))).toEqual([]);
});
