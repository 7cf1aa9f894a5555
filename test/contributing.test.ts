// The examples of CONTRIBUTING.md, followed in a copy of the sources: they compile, and a magic without its handler does not.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PROJECT_ROOT } from "../kernel/cli/project.ts";

const copy = mkdtempSync(path.join(tmpdir(), "mpslab-example-"));
const at = (file: string): string => path.join(copy, file);
const document = readFileSync(path.join(PROJECT_ROOT, "CONTRIBUTING.md"), "utf8");
/** The one block of code under a heading. */
const example = (heading: string): string =>
  new RegExp(`^## ${heading}\\n[^]*?^\`\`\`typescript\\n([^]*?)^\`\`\`$`, "m").exec(document)![1]!;

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

const LAYER_IMPORTS = `
  import type { Tensor } from "../tensor/tensor.ts";
  import type { LayerCall } from "../types/index.ts";
  import { checkNumber } from "../vocabulary/arguments.ts";
  import { inputShape } from "./input.ts";
  import { Module } from "./module/base.ts";
`;
/** The layer is called, and its result has the shape and the dtype of its input. */
const LAYER_CALL = `
  declare const input: Tensor<[8, 3], "float32">;
  export const squared: Tensor<[8, 3], "float32"> = new Square(2)(input);
`;

/** Follows "Adding a layer" and "An operator that is wrong on Metal", which the compiler reads with the magic. */
function addLayerAndProbe(): void {
  writeFileSync(at("lib/torch/nn/square.ts"), LAYER_IMPORTS + example("Adding a layer") + LAYER_CALL);
  insertBehind(
    "lib/torch/devices/mps/workarounds/probes.ts",
    "const PROBES = {\n",
    example("An operator that is wrong on Metal"),
  );
}

it("a magic, a layer and a probe compile, and a magic's grammar without its handler does not", () => {
  addLayerAndProbe();
  const [grammar, handler] = example("Adding a magic").split(/\n\n(?=\/\/)/);
  insertBehind("lib/magics/grammars.ts", "const TABLE = {\n", `${grammar}\n`);
  expect(compile()).toMatch(/^kernel\/magics\/table\.ts.* Property 'uptime' is missing.*\n$/);
  writeFileSync(at("kernel/magics/uptime.ts"), handler!);
  const table = "kernel/magics/table.ts";
  insertBehind(table, 'import { timeit } from "./timeit.ts";\n', 'import { uptime } from "./uptime.ts";\n');
  insertBehind(table, "SessionHandler<Name> } = {\n", "  uptime,\n");
  expect(compile()).toBe("");
});
