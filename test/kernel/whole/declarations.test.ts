// Tests declarations of cells in the real kernel, where V8, the compiler and the type checker have to agree: names that
// are declared anew, cells that fail or run again, decorators and the folder's tsconfig.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";

const directory = mkdtempSync(join(tmpdir(), "mpslab-declarations-"));
let kernel: KernelProcess;
beforeAll(async () => {
  kernel = await KernelProcess.start({ directory });
});
afterAll(async () => {
  await kernel.stop();
  rmSync(directory, { recursive: true });
});

/** The cell's result, or `ename: evalue`. */
async function run(code: string): Promise<string | undefined> {
  const { reply, result } = await kernel.client.execute(code);
  if (reply["status"] === "ok") return result as string | undefined;
  return `${String(reply["ename"])}: ${String(reply["evalue"])}`;
}

function write(name: string, text: string): void {
  mkdirSync(join(directory, name, ".."), { recursive: true });
  writeFileSync(join(directory, name), text);
}

/** For each kind: a declaration of `it`, and an expression that is right for no other kind's type. */
const KINDS: Readonly<Record<string, readonly [declaration: string, use: string, shown: string]>> = {
  const: ["const it = 1.5", "it.toFixed(1)", "'1.5'"],
  let: ["let it: string[] = ['a']", "it.push('b')", "2"],
  var: ["var it = true", "it === true", "true"],
  using: ["using it = { held: 1, [Symbol.dispose]() {} }", "it.held", "1"],
  function: ["function it(a: number) { return { doubled: a * 2 } }", "it(2).doubled", "4"],
  class: ["class it { field = 3; static made = 4 }", "new it().field + it.made", "7"],
  "decorated class": ["@((..._: unknown[]) => {}) class it { accessor kept = 8 }", "new it().kept", "8"],
  enum: ["enum it { First = 5 }", "it.First + it[5].length", "10"],
  namespace: [
    "namespace it { export const inside = 6; export type Key = 'k' }",
    "it.inside + ('k' satisfies it.Key)",
    "'6k'",
  ],
  "named import": ["import { sep as it } from 'node:path'", "it.charCodeAt(0)", "47"],
  "default import": ["import it from 'node:url'", "it.domainToASCII('español.com')", "'xn--espaol-zwa.com'"],
  "namespace import": ["import * as it from 'node:path'", "it.extname('a.b')", "'.b'"],
  type: ["type it = { only: 'type' }", "({ only: 'type' } satisfies it).only", "'type'"],
  interface: ["interface it { member: 9 }", "({ member: 9 } satisfies it).member", "9"],
  "type import": [
    "import type { Stats as it } from 'node:fs'",
    "((s: it | null) => s?.size ?? 'none')(null)",
    "'none'",
  ],
};

describe.each(Object.keys(KINDS))("a name declared as %s", (first) => {
  it.each(Object.keys(KINDS))("can be declared as %s, in V8 and in its type", async (second) => {
    const [declareFirst = "", useFirst = "", shownFirst] = KINDS[first] ?? [];
    const [declareSecond = "", useSecond = "", shownSecond] = KINDS[second] ?? [];
    expect(await run(`${declareFirst}; ${useFirst}`)).toBe(shownFirst);
    expect(await run(`${declareSecond}; 0`)).toBe("0");
    expect(await run(useSecond)).toBe(shownSecond);
    if (first !== second) expect(await run(useFirst)).toMatch(/^TypeCheckError: /);
  });
});

describe("a cell that fails", () => {
  it("leaves what it had initialised, with its types, and nothing of the rest", async () => {
    const cell = `
      let best: number | null = null;
      const sizes = new Map<string, number[]>();
      class Net { width = 2 }
      interface Shape { rows: number }
      throw new Error("stop");
      const after = 1;
      class Late {}
      function early(net: Net): Shape { return { rows: net.width } }`;
    expect(await run(cell)).toBe("Error: stop");
    expect(await run("best = 3; sizes.set('a', [best]); early(new Net()).rows satisfies number")).toBe("2");
    expect(await run("const shape: Shape = { rows: 'x' }")).toMatch(/^TypeCheckError: .*TS2322/);
    expect(await run("after")).toMatch(/^TypeCheckError: .*Cannot find name 'after'/);
    expect(await run("new Late()")).toMatch(/^TypeCheckError: .*Cannot find name 'Late'/);
  });

  it("leaves the names that it did not come to as they were, value and type", async () => {
    await run(
      "const rate = 0.1; let words = ['a']; class Kept { old = 1 } var turn = 'first'; const kept = new Kept()",
    );
    const failing =
      "const rate = 'fast'; throw new Error('stop'); let words = 5; class Kept { young = 2 } var turn = 2;";
    expect(await run(failing)).toBe("Error: stop");
    expect(await run("rate.toUpperCase()")).toBe("'FAST'");
    expect(await run("words.push('b'); turn.length + new Kept().old + (kept instanceof Kept ? 10 : 0)")).toBe(
      "16",
    );
  });

  it("leaves them as they were in a cell with `using`, too", async () => {
    await run("const model = 'trained'");
    expect(await run("using lock = (() => { throw new Error('locked') })(); const model = 1")).toBe(
      "Error: locked",
    );
    expect(await run("model.toUpperCase()")).toBe("'TRAINED'");
  });

  it("and fails again when it runs again, leaves what the first run left", async () => {
    const cell = (text: string) =>
      `const first = ${text}; if (first.length > 1) throw new Error("long"); const second = [first];`;
    expect(await run(cell('"a"'))).toBeUndefined();
    expect(await run(cell('["a", "b"] as const'))).toBe("Error: long");
    expect(await run("first[1] + second[0].toUpperCase()")).toBe("'bA'");
  });
});

it("a cell that runs again replaces its own names alone", async () => {
  await run("let count = 1; const label = 'one'");
  await run("count = 10; const other = label");
  await run("let count = 2; const label = 2");
  expect(await run("[count, label.toFixed(), other.toUpperCase()]")).toBe("[ 2, '2', 'ONE' ]");
});

it("a variable that is only declared has its type, and may be given a value later", async () => {
  await run("let scores: number[]; let named: string | undefined; var late: Set<string>");
  expect(await run("scores = [1]; late = new Set(['a']); named = undefined; scores.length + late.size")).toBe(
    "2",
  );
  expect(await run("scores = 'x'")).toMatch(/^TypeCheckError: .*TS2322/);
});

describe("under the folder's tsconfig", () => {
  it("decorators are TC39's without one", async () => {
    const cell = `const named = (value: Function, context: ClassDecoratorContext) => { context.metadata["of"] = context.name };
      @named class Tagged {}
      Tagged[Symbol.metadata]?.["of"]`;
    expect(await run(cell)).toBe("'Tagged'");
    expect(await run("const wrong = (a: number) => {}; @wrong class Bad {}")).toMatch(
      /^TypeCheckError: .*TS1238/,
    );
  });

  it("they are the older ones with experimentalDecorators, in cells and files, and paths lead where they say", async () => {
    write(
      "tsconfig.json",
      JSON.stringify({
        compilerOptions: { strict: true, experimentalDecorators: true, paths: { "@app/*": ["./app/*"] } },
      }),
    );
    write(
      "app/registry.ts",
      `export const seen: string[] = [];
      export function register(target: object, key: string): void { seen.push(key) }
      class Inside { @register field = 1 }`,
    );
    const cell = `import { register, seen } from "@app/registry";
      class Outside { @register method() {} }
      seen`;
    expect(await run(cell)).toBe("[ 'field', 'method' ]");
  });

  it("and TC39's again once it is gone", async () => {
    rmSync(join(directory, "tsconfig.json"));
    expect(
      await run(
        "const kind = (_: unknown, context: { kind: string }) => { last = context.kind }; let last = ''; class Again { @kind m() {} } last",
      ),
    ).toBe("'method'");
  });
});

describe("what cannot run is said before anything runs:", () => {
  it.each([
    [
      "a class that this Node has not",
      "new DisposableStack()",
      "DisposableStack" in globalThis ? /^DisposableStack/ : /^TypeCheckError: .*DisposableStack/,
    ],
    [
      "a text that nests too deeply",
      `1${"+1".repeat(80_000)}`,
      /^SyntaxError: .* - The code nests some 160001 signs deep/,
    ],
    [
      "an assignment that nests too deeply",
      `${"best = ".repeat(20_000)}1`,
      /^SyntaxError: .* - The code nests some \d+ signs deep/,
    ],
    ["a re-export", 'export * from "node:fs"', /^SyntaxError: .* - A cell is no module and cannot re-export/],
  ])("%s", async (_, cell, answer) => {
    expect(await run(`${cell}`)).toMatch(answer);
    expect(await run("'alive'")).toBe("'alive'");
  });
});

describe("a table that a cell has read", () => {
  it("has rows of its file's columns in later cells: in completion, in errors, through its methods", async () => {
    await run(
      'import { data } from "mpslab";\nconst flats = data.readCsv("area,rent,district\\n30,500,north\\n45,640,\\n");\nlet other = flats;',
    );
    const code = "flats.get(0).";
    const { content } = await kernel.client.request("complete_request", { code, cursor_pos: code.length });
    expect(content["matches"]).toEqual(["area", "district", "rent"]);
    expect(await run("flats.filter((row) => row.district.length > 3)")).toMatch(/TS18047.*possibly 'null'/);
    expect(await run("flats.get(0).rent.toFixd(1)")).toMatch(
      /TS2551: Property 'toFixd' does not exist on type 'number'/,
    );
    expect(await run("flats.filter((row) => row.rnt > 3)")).toMatch(
      /TS2551: Property 'rnt' does not exist on type 'Readonly<\{ area: number; rent: number; district: string \| null; \}>'.*write row\.rent/s,
    );
    expect(await run('flats.groupBy("distrct")')).toMatch(/TypeCheckError: .*"distrct"/);
    const inText = 'flats.column("';
    const names = await kernel.client.request("complete_request", {
      code: inText,
      cursor_pos: inText.length,
    });
    expect(names.content["matches"]).toEqual(["area", "district", "rent"]);
    await run('const whole = flats.dropMissing().withColumn("price", (row) => row.rent / row.area);');
    expect(await run("whole.get(0).district.length + whole.get(0).price.toFixed(1)")).toBe("'516.7'");
    expect(await run("for (const row of whole) row.prise;")).toMatch(/Property 'prise' does not exist/);
  });
  it("takes names that are known only when the cell runs, by each of its methods", async () => {
    await run('const names = ["area", "rent"]; let joined = flats;');
    expect(await run("flats.select(names).toTensor([...names, 'area']).shape")).toBe("[ 2, 3 ]");
    expect(await run("flats.join(flats, { on: names }).names.join()")).toBe(
      "'area,rent,district,district_right'",
    );
    expect(await run("names.map((name) => [flats.column(name).mean(), flats.get(0)[name]])")).toBe(
      "[ [ 37.5, 30 ], [ 570, 500 ] ]",
    );
    expect(
      await run(
        "flats.sortBy(names).dropMissing(...names).groupBy(...names).aggregate({ most: ({ length }) => length }).length",
      ),
    ).toBe("2");
    expect(await run('joined = joined.join(flats, { on: "area" }); joined.get(0).rent_right')).toBe("500");
  });
  it("leaves a let open, which may get a table of others", async () => {
    await run("let part = flats;");
    expect(await run('part = part.select("area"); part.names.length')).toBe("1");
    expect(
      await run(
        'const dummies = ["north", "south"].reduce((table, name) => table.withColumn(name, (row) => row.district === name), flats); dummies.length',
      ),
    ).toBe("2");
    expect(await run("[dummies.get(0).north, dummies.get(0).rent]")).toBe("[ true, 500 ]");
    expect(await run('other = other.withColumn("double", (row) => 2 * row.rent); other.get(0).double')).toBe(
      "1000",
    );
    expect(await run("other.get(1).double")).toBe("1280");
  });
});
