// tslab's notebooks run unchanged: the same cells, in tslab's own kernel and in ours, show the same.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import type { Display as TheirDisplay } from "tslab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../../../kernel/cli/project.ts";
import { readConnection } from "../../../../kernel/protocol/connection.ts";
import type { Display } from "../../../../kernel/runtime/modules/tslab.ts";
import { KernelClient, type Execution } from "../../../helpers/kernel_client.ts";
import { KernelProcess, writeConnectionFile } from "../../../helpers/kernel_process.ts";

let directory: string;
let ours: KernelProcess;
let tslab: { readonly client: KernelClient; readonly process: ChildProcess };

beforeAll(async () => {
  // Inside the project: elsewhere tslab finds no types of Node and says that there is no `console`.
  mkdirSync(path.join(PROJECT_ROOT, "build"), { recursive: true });
  directory = mkdtempSync(path.join(PROJECT_ROOT, "build", "tslab-"));
  writeFileSync(path.join(directory, "pixel.gif"), Buffer.from("R0lGODlhAQABAAAAACwAAAAAAQABAAAC", "base64"));
  [tslab, ours] = await Promise.all([startTslab(), KernelProcess.start({ directory })]);
});

/** tslab answers nothing where another process took one of its ports meanwhile: then with new ones. */
async function startTslab(): Promise<typeof tslab> {
  const program = path.join(PROJECT_ROOT, "node_modules", ".bin", "tslab");
  for (;;) {
    const file = await writeConnectionFile(directory);
    const child = spawn(program, ["kernel", "--config-path", file], { cwd: directory, stdio: "ignore" });
    const attached = KernelClient.attach(readConnection(file));
    const client = await Promise.race([attached, delay(20_000, null)]);
    if (client !== null) return { client, process: child };
    child.kill("SIGKILL");
  }
}

afterAll(async () => {
  await ours.stop();
  tslab.client.close();
  const gone = new Promise((resolve) => tslab.process.once("exit", resolve));
  tslab.process.kill("SIGKILL");
  await gone;
  rmSync(directory, { recursive: true });
});

/** Returns what a reader sees of a cell. tslab prints a result, text without quotes; we send it as one, with quotes. */
function seen({ stdout, result, messages }: Execution) {
  const shown = messages
    .filter(({ header }) => header.msg_type.endsWith("display_data"))
    .map(({ header, content }) => {
      const { display_id } = content["transient"] as { display_id?: string };
      return { type: header.msg_type, data: content["data"], metadata: content["metadata"], id: display_id };
    });
  const ids = [...new Set(shown.map(({ id }) => id).filter((id) => id !== undefined))];
  const text = stdout + (result === undefined ? "" : `${result.replace(/^'(.*)'$/, "$1")}\n`);
  return {
    text: stripVTControlCharacters(text),
    // Ids are drawn by lot: only which are the same counts.
    shown: shown.map((display) => ({ ...display, id: display.id && ids.indexOf(display.id) })),
  };
}

async function inBoth(code: string): Promise<ReturnType<typeof seen>> {
  const [theirs, own] = await Promise.all([tslab.client.execute(code), ours.client.execute(code)]);
  expect(theirs.reply["status"]).toBe("ok");
  expect(own.reply["status"]).toBe("ok");
  expect(seen(own)).toEqual(seen(theirs));
  return seen(own);
}

describe("the cells of a notebook for tslab", () => {
  it.each([
    "console.log(`Hello, tslab!`)\nconsole.log(`Node.js: ${process.version}`)",
    "/** The nth of Fibonacci's numbers. */\nfunction fibonacci(n: number): number {\n  return n > 1 ? fibonacci(n - 1) + fibonacci(n - 2) : 1;\n}",
    "{\n  const n = 12;\n  console.log(`fibonacci(${n}) = ${fibonacci(n)}`)\n}",
    "interface Named {\n  getName(): string;\n}\nclass Person implements Named {\n  constructor(private name: string) {}\n  getName(): string { return this.name; }\n}\nfunction greet(named: Named) { console.log(named.getName()); }\ngreet(new Person('Ada'));",
    "let sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));\nawait sleep(5);\n`Slept ${5}[ms]`",
    "// Without await the promise itself is shown.\nsleep(5);",
    "[1, 2, 3].map((x) => x * 2)",
    "({ name: 'Ada', year: 1815 })",
    'import fs from "fs";\nimport * as path from "path";\nimport * as tslab from "tslab";',
    "Object.keys(tslab).sort().filter((name) => name !== '__esModule')",
    "tslab.versions",
  ])("%s", async (code) => {
    await inBoth(code);
  });
});

it("a display has tslab's type: each fits where the other is asked for", () => {
  const check = (own: Display, theirs: TheirDisplay): [TheirDisplay, Display] => [own, theirs];
  expect(check).toBeTypeOf("function");
});

describe("tslab's display", () => {
  it.each([
    ["html", "'Hello <b>Type</b>Script!'", "text/html"],
    ["text", "'plain'", "text/plain"],
    ["markdown", "'# Title'", "text/markdown"],
    ["latex", "'$x^2$'", "text/latex"],
    ["svg", "'<svg xmlns=\"http://www.w3.org/2000/svg\"/>'", "image/svg+xml"],
    ["javascript", "'1 + 1'", "text/javascript"],
    ["png", "new Uint8Array([137, 80, 78, 71])", "image/png"],
    ["jpeg", "new Uint8Array([255, 216])", "image/jpeg"],
    ["gif", "fs.readFileSync('pixel.gif')", "image/gif"],
    ["pdf", "Buffer.from('%PDF')", "application/pdf"],
  ])("%s", async (kind, content, type) => {
    const { shown } = await inBoth(`tslab.display.${kind}(${content})`);
    expect(shown).toEqual([
      { type: "display_data", data: { [type]: expect.any(String) }, metadata: {}, id: undefined },
    ]);
  });

  it("raw, with text and with bytes", async () => {
    const { shown } = await inBoth(
      "tslab.display.raw('application/x-own', 'text');\ntslab.display.raw('image/webp', new Uint8Array([1, 2, 3]));",
    );
    expect(shown.map(({ data }) => data)).toEqual([
      { "application/x-own": "text" },
      { "image/webp": "AQID" },
    ]);
  });

  it("newDisplay shows once and is updated from then on, from later cells too", async () => {
    const first = await inBoth(
      "let bar = tslab.newDisplay(), other = tslab.newDisplay();\nfor (let i = 0; i < 3; i++) bar.text(`${i} of 3`);\nother.html('<i>other</i>');",
    );
    expect(first.shown.map(({ type, id }) => [type, id])).toEqual([
      ["display_data", 0],
      ["update_display_data", 0],
      ["update_display_data", 0],
      ["display_data", 1],
    ]);
    await inBoth("bar.markdown('**done**')");
  });
});

it("tslab's compiler is not loaded for it", async () => {
  const { result } = await ours.client.execute(
    "Object.keys(require.cache).filter((file) => file.includes('typescript-for-tslab')).length",
  );
  expect(result).toBe("0");
});
