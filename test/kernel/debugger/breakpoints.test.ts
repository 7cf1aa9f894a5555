// Breakpoints beyond a plain line: conditions, counts, log points, errors, files.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { addMapping, GenMapping, toEncodedMap } from "@jridgewell/gen-mapping";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DebuggerClient, lines } from "../../helpers/debugger_client.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";

const directory = mkdtempSync(path.join(tmpdir(), "mpslab-debugged-"));
let kernel: KernelProcess;
let client: DebuggerClient;

beforeAll(async () => {
  kernel = await KernelProcess.start({ directory });
  client = new DebuggerClient(kernel.client);
  await client.start();
});

afterAll(async () => {
  await kernel.stop();
  rmSync(directory, { recursive: true });
});

const LOOP = `let sum = 0;
for (let i = 0; i < 10; i++) {
  sum += i;
}
sum`;

describe("a breakpoint", () => {
  it("with a condition stops where it holds, and the condition is TypeScript", async () => {
    await client.setBreakpoints(LOOP, { line: 3, condition: "(i as number) === 4" });
    const { cell } = await client.run(LOOP);
    expect(lines(await client.scope("Locals"))).toContain("i: 4");
    await client.ask("continue");
    expect((await cell).result).toBe("45");
  });

  it("with a condition at the top level of a cell that ran before stops too", async () => {
    const code = "let threshold = 2;\nconst beyond = threshold > 1;\nbeyond";
    await kernel.client.execute(code);
    await client.setBreakpoints(code, { line: 3, condition: "beyond && threshold === 2" });
    const { stopped, cell } = await client.run(code);
    expect(stopped).toMatchObject({ reason: "breakpoint" });
    expect(lines(await client.scope("Locals"))).toEqual(["threshold: 2", "beyond: true"]);
    await client.setBreakpoints(code);
    await client.ask("continue");
    await cell;
  });

  it("at the top level of a cell offers the names of that cell to an editor", async () => {
    const code = "let firstOfCell = 1;\nfor (const inLoop of [2]) {\n  firstOfCell += inLoop;\n}";
    await client.setBreakpoints(code, 3);
    const { cell } = await client.run(code);
    for (const [typed, name] of [
      ["firstOf", "firstOfCell"],
      ["inLo", "inLoop"],
    ] as const) {
      const question = { code: typed, cursor_pos: typed.length };
      const { content } = await kernel.client.request("complete_request", question);
      expect(content["matches"]).toEqual([name]);
    }
    await client.setBreakpoints(code);
    await client.ask("continue");
    await cell;
  });

  it.each([
    ["3", ["2"]],
    ["% 4", ["3", "7"]],
    [">= 9", ["8", "9"]],
  ])("with the hit count %s stops at i = %s", async (hitCondition, expected) => {
    await client.setBreakpoints(LOOP, { line: 3, hitCondition });
    const { cell } = await client.run(LOOP);
    const seen: string[] = [];
    for (const _ of expected) {
      const i = (await client.scope("Locals")).find(({ name }) => name === "i");
      seen.push(i?.value ?? "");
      if (seen.length < expected.length) await client.go("continue");
    }
    expect(seen).toEqual(expected);
    await client.ask("continue");
    await cell;
  });

  it("with a message prints and does not stop", async () => {
    await client.setBreakpoints(LOOP, {
      line: 3,
      logMessage: "i is `{i as number}`, sum {sum}",
      condition: "i > 7",
    });
    const { stopped, cell } = await client.run(LOOP);
    expect(stopped).toBeNull();
    expect((await cell).stdout).toBe("i is `8`, sum 28\ni is `9`, sum 36\n");
  });

  it("that cannot be set says why", async () => {
    const set = await client.setBreakpoints(
      LOOP,
      { line: 3, condition: "i ===" },
      { line: 99 },
      { line: 3, hitCondition: "often" },
    );
    expect(set.map(({ verified, message }) => [verified, message])).toEqual([
      [false, expect.stringContaining("Unexpected")],
      [false, "There is no code at line 99 or below it."],
      [false, '"often" is no hit count: write a number, as 5, or a comparison, as >= 5 or % 5.'],
    ]);
  });

  it("on a line without code moves to the next one with some", async () => {
    const code = "// a comment\n\nlet first = 1;\n\nfirst";
    const set = await client.setBreakpoints(code, 1, 4);
    expect(set.map(({ line }) => line)).toEqual([3, 5]);
    const { cell } = await client.run(code);
    expect((await client.stack())[0]).toMatch(/ 3$/);
    await client.setBreakpoints(code);
    await client.ask("continue");
    await cell;
  });

  it("counts the lines of magics and of blank lines", async () => {
    const code = "\n%check warn\nlet timed = 1;\ntimed + 1";
    await client.setBreakpoints(code, 4);
    const { cell } = await client.run(code);
    expect((await client.stack())[0]).toMatch(/ 4$/);
    await client.ask("continue");
    expect((await cell).result).toBe("2");
  });

  it("is kept until it is taken away, and listed by debugInfo", async () => {
    await client.setBreakpoints(LOOP, 3);
    const { breakpoints } = await client.ask<{ breakpoints: { source: string; breakpoints: unknown }[] }>(
      "debugInfo",
    );
    const { sourcePath } = await client.ask("dumpCell", { code: LOOP });
    expect(breakpoints.find(({ source }) => source === sourcePath)?.breakpoints).toEqual([{ line: 3 }]);
    await client.setBreakpoints(LOOP);
    const left = await client.ask<{ breakpoints: { source: string }[] }>("debugInfo");
    expect(left.breakpoints.map(({ source }) => source)).not.toContain(sourcePath);
  });
});

describe("a break on errors", () => {
  const FAILING = `try {
  JSON.parse("{");
} catch {}
function boom() {
  throw new RangeError("boom");
}
boom();`;

  it("that no code catches stops once, at the throw", async () => {
    await client.ask("setExceptionBreakpoints", { filters: ["uncaught"] });
    const { stopped, cell } = await client.run(FAILING);
    expect(stopped).toMatchObject({ reason: "exception", text: "RangeError: boom" });
    expect((await client.stack()).join()).toMatch(/^boom 5,Cell \[\d+\] 7$/);
    expect(await client.ask("exceptionInfo")).toMatchObject({ exceptionId: "RangeError" });
    await client.ask("continue");
    expect((await cell).errors).toMatchObject([{ ename: "RangeError", evalue: "boom" }]);
  });

  it("of any kind stops at those that are caught too", async () => {
    await client.ask("setExceptionBreakpoints", { filters: ["all"] });
    const { stopped, cell } = await client.run(FAILING);
    expect(stopped).toMatchObject({ text: expect.stringMatching(/^SyntaxError/) });
    expect(await client.go("continue")).toBe("exception");
    await client.ask("continue");
    await cell;
  });

  it("stops at the cell's line where the library throws", async () => {
    await client.ask("setExceptionBreakpoints", { filters: ["uncaught"] });
    const code = 'import { torch } from "mpslab";\nconst two = torch.ones([2]);\ntwo.reshape([3 as number]);';
    const { stopped, cell } = await client.run(code);
    expect(stopped).toMatchObject({ reason: "exception" });
    expect((await client.stack()).join()).toMatch(/^Cell \[\d+\] 3$/);
    await client.ask("continue");
    await cell;
    await client.ask("setExceptionBreakpoints", { filters: [] });
    expect((await client.run(code)).stopped).toBeNull();
  });
});

describe("a breakpoint in a file", () => {
  const file = path.join(directory, "model.ts");
  const TEXT = `export interface Sizes { width: number }

export function twice(x: number): number {
  const y: number = x * 2;
  return y;
}
export const top = twice(4);
`;

  it("of the notebook's folder stops while it is loaded, and later, in its TypeScript lines", async () => {
    writeFileSync(file, TEXT);
    expect(await client.setBreakpointsAt(file, 4)).toMatchObject([{ line: 4, verified: true }]);
    const { stopped, cell } = await client.run('import { twice } from "./model.ts";\ntwice(3)');
    expect(stopped).toMatchObject({ reason: "breakpoint" });
    expect((await client.stack()).slice(0, 2)).toEqual(["twice 4", "(module) model.ts 7"]);
    expect((await client.frames())[0]?.source).toEqual({ name: "model.ts", path: file });
    expect(await client.go("continue")).toBe("breakpoint");
    expect(lines(await client.scope("Locals"))).toEqual(["x: 3", "y: not initialised"]);
    await client.ask("continue");
    expect((await cell).result).toBe("6");
    expect((await client.ask<{ content: string }>("source", { source: { path: file } })).content).toBe(TEXT);
  });

  it("may have a condition, at its top level too", async () => {
    const other = path.join(directory, "table.ts");
    writeFileSync(other, "const rows: number = 3;\nexport const cells = rows * 2;\n");
    await client.setBreakpointsAt(other, { line: 2, condition: "rows === 3" });
    const { stopped, cell } = await client.run('import { cells } from "./table.ts";\ncells');
    expect(stopped).toMatchObject({ reason: "breakpoint" });
    await client.setBreakpointsAt(other);
    await client.ask("continue");
    expect((await cell).result).toBe("6");
  });

  it("holds when the file has changed", async () => {
    writeFileSync(file, `// a line more\n${TEXT}`);
    await client.setBreakpointsAt(file, 5);
    const { cell } = await client.run('import { twice } from "./model.ts";\ntwice(5)');
    expect((await client.stack())[0]).toBe("twice 5");
    await client.setBreakpointsAt(file);
    await client.ask("continue");
    await cell;
  });
});

describe("a breakpoint in a package with a source map", () => {
  const folder = path.join(directory, "node_modules", "scaled");
  const source = path.join(folder, "src", "scale.ts");
  const SOURCE = `export type Scale = (x: number) => number;

export function scale(x: number): number {
  const factor: number = 3;
  return x * factor;
}
`;
  const CODE = `export function scale(x) {
  const factor = 3;
  return x * factor;
}
`;

  beforeAll(() => {
    mkdirSync(path.join(folder, "src"), { recursive: true });
    mkdirSync(path.join(folder, "dist"));
    writeFileSync(source, SOURCE);
    const manifest = { name: "scaled", version: "1.0.0", type: "module", exports: "./dist/scale.js" };
    writeFileSync(path.join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(path.join(folder, "dist", "scale.js"), `${CODE}//# sourceMappingURL=scale.js.map\n`);
    writeFileSync(path.join(folder, "dist", "scale.d.ts"), "export function scale(x: number): number;\n");
    const map = new GenMapping({ file: "scale.js" });
    for (const [generated, original] of [
      [1, 3],
      [2, 4],
      [3, 5],
    ] as const)
      for (const column of [0, 2])
        addMapping(map, {
          ...{ generated: { line: generated, column }, original: { line: original, column } },
          source: "../src/scale.ts",
        });
    writeFileSync(path.join(folder, "dist", "scale.js.map"), JSON.stringify(toEncodedMap(map)));
  });

  const CELL = 'import { scale } from "scaled";\nscale(2)';

  it("that is set before it is loaded stops in the lines of its TypeScript", async () => {
    await client.setBreakpointsAt(source, 5);
    const { stopped, cell } = await client.run(CELL);
    expect(stopped).toMatchObject({ reason: "breakpoint" });
    expect((await client.stack())[0]).toBe("scale 5");
    expect((await client.frames())[0]?.source).toEqual({ name: "scale.ts", path: source });
    expect(lines(await client.scope("Locals"))).toEqual(["x: 2", "factor: 3"]);
    await client.ask("continue");
    expect((await cell).result).toBe("6");
  });

  it("that is set afterwards moves to a line with code, and is taken away again", async () => {
    expect(await client.setBreakpointsAt(source, 1)).toMatchObject([{ line: 4, verified: true }]);
    const { cell } = await client.run(CELL);
    expect((await client.stack())[0]).toBe("scale 4");
    expect(await client.go("next")).toBe("step");
    expect((await client.stack())[0]).toBe("scale 5");
    await client.setBreakpointsAt(source);
    await client.ask("continue");
    await cell;
    expect((await client.run(CELL)).stopped).toBeNull();
  });

  it("has its source shown", async () => {
    const { content } = await client.ask<{ content: string }>("source", { source: { path: source } });
    expect(content).toBe(SOURCE);
  });
});
