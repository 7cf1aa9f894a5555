// The example of CONTRIBUTING.md that adds a magic, followed in a copy of the sources: it compiles, and without its handler
// it does not.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../kernel/cli/project.ts";

const copy = mkdtempSync(path.join(tmpdir(), "mpslab-example-"));
const at = (file: string): string => path.join(copy, file);
const document = readFileSync(path.join(PROJECT_ROOT, "CONTRIBUTING.md"), "utf8");
/** The example's one block of code: the line of the grammar, and the file of the handler behind an empty line. */
const [, example] = /^## Adding a magic\n[^]*?^```typescript\n([^]*?)^```$/m.exec(document)!;
const [grammar, handler] = example!.split(/\n\n(?=\/\/)/);

/** Puts `text` behind the only place where `anchor` stands. */
function insertBehind(file: string, anchor: string, text: string): void {
  const [head, tail, ...more] = readFileSync(at(file), "utf8").split(anchor);
  expect([tail, more], file).toEqual([expect.any(String), []]);
  writeFileSync(at(file), `${head}${anchor}${text}${tail}`);
}

function compile(): string {
  const tsc = path.join(PROJECT_ROOT, "node_modules/typescript/bin/tsc");
  return spawnSync(process.execPath, [tsc, "--noEmit", "-p", copy], { cwd: copy, encoding: "utf8" }).stdout;
}

beforeAll(() => {
  for (const entry of ["kernel", "lib", "tsconfig.json", "package.json"])
    cpSync(path.join(PROJECT_ROOT, entry), at(entry), { recursive: true });
  symlinkSync(path.join(PROJECT_ROOT, "node_modules"), at("node_modules"));
});
afterAll(() => rmSync(copy, { recursive: true }));

it("a new magic compiles with its grammar and its handler, and with the grammar alone it does not", () => {
  insertBehind("kernel/cell/magics/grammars.ts", "const TABLE = {\n", `${grammar}\n`);
  expect(compile()).toMatch(/^kernel\/magics\/table\.ts.* Property 'uptime' is missing/);
  writeFileSync(at("kernel/magics/uptime.ts"), handler!);
  const table = "kernel/magics/table.ts";
  insertBehind(table, 'import { timeit } from "./timeit.ts";\n', 'import { uptime } from "./uptime.ts";\n');
  insertBehind(table, "SessionHandler<Name> } = {\n", "  uptime,\n");
  expect(compile()).toBe("");
});
