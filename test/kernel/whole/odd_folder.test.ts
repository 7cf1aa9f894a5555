// The kernel below a folder with every sign that shells, URLs and build tools read in their own way: once as the folder of
// the notebook, once with mpslab itself installed in it.
import { spawnSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeNotebook } from "../../helpers/command_line.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const ODD = `it's "5$HOME" #1 & (ü) 100%20; [x]?`;
// On the disk of the clone, where its files can be linked.
const folder = mkdtempSync(path.join(root, "build", "odd-"));
const odd = path.join(folder, ODD);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LOCAL = `export const double = (x: number): number => 2 * x;
export function fail(): never {
  throw new Error("from the file");
}
`;

beforeAll(() => {
  mkdirSync(odd);
  writeFileSync(path.join(odd, "local.ts"), LOCAL);
  writeFileSync(path.join(odd, "wrong.ts"), "export const z: number = 'text';\n");
});

describe("a notebook in an odd folder", () => {
  let kernel: KernelProcess;
  beforeAll(async () => {
    kernel = await KernelProcess.start({ directory: odd });
  });
  afterAll(() => kernel.stop());

  /** What a cell shows. */
  const run = async (code: string): Promise<string | undefined> => {
    const { reply, result } = await kernel.client.execute(code);
    return reply["status"] === "ok" ? result : String(reply["traceback"]);
  };
  const inspect = async (code: string): Promise<string> => {
    const question = { code, cursor_pos: code.length, detail_level: 1 };
    const { content } = await kernel.client.request("inspect_request", question);
    return String((content["data"] as Record<string, unknown>)["text/plain"]);
  };

  it("imports a file beside it, and reads that file again when it has changed", async () => {
    expect(await run('import { double, fail } from "./local.ts"; double(21)')).toBe("42");
    writeFileSync(path.join(odd, "local.ts"), LOCAL.replace("2 * x", "3 * x"));
    expect(await run('import { double } from "./local.ts"; double(21)')).toBe("63");
  });

  it("checks types, also of the files beside it", async () => {
    expect(await run('const s: number = "a"')).toContain("Type 'string' is not assignable to type 'number'");
    expect(await run('import { z } from "./wrong.ts"; z')).toContain("./wrong.ts:1:14");
  });

  it("an error names the line of the file", async () => {
    await run('import { fail } from "./local.ts";');
    expect(await run("fail()")).toContain("local.ts:3");
  });

  it("shows the source of what a cell and a file declare", async () => {
    await run("function half(x: number): number {\n  return x / 2;\n}");
    expect(await inspect("half")).toContain("return x / 2;");
    expect(await inspect("double")).toContain("=> 3 * x");
  });
});

describe("mpslab in an odd folder", () => {
  const installed = path.join(odd, "mpslab");
  const mpslab = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    spawnSync(process.execPath, [path.join(installed, "dist/kernel/cli.js"), ...args], {
      cwd: odd,
      encoding: "utf8",
      env: { ...process.env, ...environment },
    });

  beforeAll(() => {
    for (const part of ["dist", "node_modules", "native/setup", "notebooks", "build/native/Release"])
      linkTree(path.join(root, part), path.join(installed, part));
    for (const file of ["package.json", "package-lock.json"])
      linkSync(path.join(root, file), path.join(installed, file));
    symlinkSync(path.join(root, ".venv"), path.join(installed, ".venv"));
  });

  it("doctor finds everything", () => {
    const { stdout, status } = mpslab(["doctor"]);
    expect(stdout).not.toContain("FAIL");
    expect(stdout).toContain(`ok   addon       ${installed}/build/native/Release`);
    expect(status).toBe(0);
  });

  it("runs a notebook, types and tensors included, and writes its page", () => {
    const cells = [
      'import { torch } from "mpslab";\nconst x = torch.ones([2, 3]);\nx.sum().item()',
      "x.matmul(x)",
    ];
    const metadata = { kernelspec: { name: "mpslab", display_name: "TypeScript (mpslab)" } };
    writeNotebook(path.join(odd, "sum.ipynb"), cells, metadata);
    const { stdout } = mpslab(["execute", "--allow-errors", "sum.ipynb"]);
    expect(stdout).toContain(
      `executed notebook: ${odd}/output/sum.ipynb\nHTML page: ${odd}/output/sum.html\n`,
    );
    const text = readFileSync(path.join(odd, "output/sum.ipynb"), "utf8");
    expect(text).toMatch(/"text\/plain": \[\s*"6"\s*\]/);
    expect(text).toContain("matmul: [2, 3] and [2, 3] do not fit: 3 columns meet 2 rows.");
  });

  it("a program outside of a notebook is told its own line by its path", () => {
    const file = path.join(odd, "wait.mjs");
    const program = `import { lab, torch } from "./mpslab/dist/bundle/lib/index.js";
const x = torch.ones([64, 64], { device: "mps" });
console.log(JSON.stringify(lab.syncs(() =>
  x.sum().item())));
`;
    writeFileSync(file, program);
    const { stdout, stderr } = spawnSync(process.execPath, [file], {
      encoding: "utf8",
      env: { ...process.env, MPSLAB_METAL: "simulated" },
    });
    expect(stderr).toBe("");
    expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(`${file}:4`).slice(1, -1));
  });
});

/** The same files at another place, without a copy of their bytes. */
function linkTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else linkSync(source, target);
  }
}
