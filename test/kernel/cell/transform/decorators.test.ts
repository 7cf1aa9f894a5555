// Decorators as TC39 defines them, and as TypeScript had them before, run in V8's REPL mode as cells are.
import { afterAll, describe, expect, it } from "vitest";
import { NO_BINDINGS } from "../../../../kernel/cell/analyze.ts";
import { compile } from "../../../../kernel/cell/compile.ts";
import { TYPESCRIPT_DEFAULTS, type TypeScriptOptions } from "../../../../kernel/cell/names.ts";
import { Evaluator } from "../../../helpers/evaluator.ts";

const notebook = new Evaluator();
afterAll(() => notebook.close());

const LOG = `const log: string[] = [];
  const noted = (value: unknown, context: any) => {
    log.push([context.kind, String(context.name), context.static, context.private].join(" "));
    if (context.metadata) context.metadata[context.name] = context.kind;
    context.addInitializer(() => log.push("init " + String(context.name)));
  };`;

describe("a decorator", () => {
  it("sees what it decorates, of every kind, in the order of the proposal", async () => {
    const text = `${LOG}
      @noted class A {
        @noted method() {}
        @noted static made() {}
        @noted field = 1;
        @noted accessor both = 2;
        @noted get got() { return 1 }
        @noted set got(value) {}
        @noted #secret = 3;
        @noted static #hidden() {}
        @noted accessor #kept = 4;
        static { log.push("static block") }
      }
      const decorated = log.splice(0);
      new A();
      [decorated, log]`;
    expect(await notebook.run(text)).toEqual([
      [
        "method made true false",
        "method #hidden true true",
        "method method false false",
        "accessor both false false",
        "getter got false false",
        "setter got false false",
        "accessor #kept false true",
        "field field false false",
        "field #secret false true",
        "class A  ",
        "init made",
        "init #hidden",
        "static block",
        "init A",
      ],
      ["init method", "init got", "init got", "init field", "init both", "init #secret", "init #kept"],
    ]);
  });

  it.each([
    [
      "a field's first value",
      "const twice = (_: undefined, c: object) => (v: number) => v * 2; class A { @twice x = 21 }",
      "new A().x",
      42,
    ],
    [
      "an accessor",
      "const shift = (t: any, c: object) => ({ get(this: any) { return t.get.call(this) + 1 }, init: (v: number) => v * 10 }); class A { @shift accessor x = 4 }",
      "new A().x",
      41,
    ],
    [
      "a method",
      "const loud = (m: any, c: object) => function (this: any) { return m.call(this) + '!' }; class A { @loud m() { return 'a' } }",
      "new A().m()",
      "a!",
    ],
    [
      "a method's `this`",
      "const bound = (m: any, c: any) => { c.addInitializer(function (this: any) { this[c.name] = m.bind(this) }) }; class A { v = 7; @bound m() { return this.v } }",
      "const { m } = new A(); m()",
      7,
    ],
    [
      "a private method",
      "const six = () => () => 6; class A { @six #m() { return 1 } n() { return this.#m() } }",
      "new A().n()",
      6,
    ],
    [
      "the class, which the name then stands for",
      "const other = () => class B { b = 5 } as any; @other class A { static self: any = A }",
      "[A.name, new A().b]",
      ["B", 5],
    ],
    [
      "an anonymous class, which has its variable's name",
      "let said: any; const hear = (v: any, c: any) => { said = c.name }; const Net = @hear class {}",
      "[said, Net.name]",
      ["Net", "Net"],
    ],
  ])("changes %s", async (_, text, asked, answer) => {
    await notebook.run(text);
    expect(await notebook.run(asked)).toEqual(answer);
  });

  it("leaves metadata under Symbol.metadata", async () => {
    const text = `${LOG} class A { @noted x = 1; @noted y() {} } class B extends A { @noted z = 1 }
      [(A as any)[Symbol.for("Symbol.metadata")], (B as any)[Symbol.for("Symbol.metadata")].x]`;
    expect(await notebook.run(text)).toEqual([{ x: "field", y: "method" }, "field"]);
  });

  it("of a class that each turn of a loop declares belongs to that turn", async () => {
    const text = `const made: any[] = [];
      for (let i = 0; i < 3; i++) {
        const add = () => (v: number) => v + i;
        class A { @add x = 10 }
        made.push(A);
      }
      made.map((Made) => new Made().x)`;
    expect(await notebook.run(text)).toEqual([10, 11, 12]);
  });

  it("of a class in another class belongs to the call that declares it", async () => {
    const text = `class Outer { #n = 1; make(by: number) { const add = () => (v: number) => v + by + this.#n; return new (class { @add x = 1 })() } }
      const outer = new Outer(); const first = outer.make(10); const second = outer.make(20); [first.x, second.x]`;
    expect(await notebook.run(text)).toEqual([12, 22]);
  });

  it("may be what the cell awaits", async () => {
    const text = "@(await Promise.resolve((v: any) => { v.late = 1 })) class Late {} (Late as any).late";
    expect(await notebook.run(text)).toBe(1);
  });

  it("stays with the classes of its cell when a later cell decorates too", async () => {
    await notebook.run(
      "const add = (n: number) => () => (v: number) => v + n; class First { @add(1) x = 0 }",
    );
    await notebook.run("class Second { @add(2) x = 0 }");
    expect(await notebook.run("[new First().x, new Second().x]")).toEqual([1, 2]);
  });

  it.each([
    ["export @keep class Named {} Named.name", "Named"],
    ["@keep export class Before {} Before.name", "Before"],
    ["export default @keep class Default {}\nDefault.name", "Default"],
  ])("stands before or behind an export: %s", async (text, name) => {
    expect(await notebook.run(`const keep = () => {};\n${text}`)).toBe(name);
  });
});

it("an accessor field without a decorator is one", async () => {
  const text =
    "class A { accessor x = 1; static accessor y = 2 } const a = new A(); a.x++; [a.x, A.y, Object.keys(a)]";
  expect(await notebook.run(text)).toEqual([2, 2, []]);
});

it("a class can be declared anew, and by anything else", async () => {
  await notebook.run("const mark = () => {}; @mark class Model { a = 1 }");
  expect(await notebook.run("@mark class Model { b = 2 } Object.keys(new Model())")).toEqual(["b"]);
  expect(await notebook.run("let Model = 5; Model")).toBe(5);
});

it("loops and methods of a decorated class can be stopped, and epochs in them are found", async () => {
  const text =
    "const mark = () => {}; class Trainer { @mark run() { for (const epoch of [1]) note('run') } }";
  expect(compile(text, NO_BINDINGS, { script: "1", flush: true }).epochLoops).toBe(1);
  await notebook.run(text);
  notebook.calls.splice(0);
  await notebook.run("new Trainer().run()");
  expect(notebook.calls).toEqual(["open epoch 1", "begin", "run", "end", "close"]);
  await expect(notebook.run("pressStop(); new Trainer().run()")).rejects.toThrow("interrupted");
});

describe("under experimentalDecorators", () => {
  const typescript: TypeScriptOptions = { ...TYPESCRIPT_DEFAULTS, experimentalDecorators: true };
  const code = (text: string, options: Partial<TypeScriptOptions> = {}) =>
    compile(text, NO_BINDINGS, { script: "1", flush: true, typescript: { ...typescript, ...options } }).code;
  const run = async (text: string, options: Partial<TypeScriptOptions> = {}) =>
    (await notebook.evaluate(`${code(text, options)}`)).result;

  it("decorators are called as they were before the proposal", async () => {
    const text = `const calls: string[] = [];
      const legacy = (...args: any[]) => { calls.push(args.slice(1).map((a) => typeof a === "object" ? "descriptor" : String(a)).join(" ")) };
      @legacy class A { @legacy x = 1; @legacy m(@legacy p: string) {} @legacy static s() {} }
      calls.join(", ")`;
    expect((await run(text)).value).toBe("x undefined, m 0, m descriptor, s descriptor, ");
  });

  it("emitDecoratorMetadata says the types", async () => {
    const text = `const metadata: any = {}; (Reflect as any).metadata = (key: string, value: any) => () => { metadata[key] = value };
      const mark: any = () => {};
      class A { @mark m(a: string, b: number): boolean { return true } }
      delete (Reflect as any).metadata;
      [metadata["design:paramtypes"].map((t: any) => t.name), metadata["design:returntype"].name].join(" ")`;
    expect((await run(text, { emitDecoratorMetadata: true })).value).toBe("String,Number Boolean");
  });

  it("fields are assigned where useDefineForClassFields is off", async () => {
    const text =
      "class Base { set x(value: number) { this.y = value } y = 0 } class Sub extends Base { x = 3; z?: number } Object.keys(new Sub()).join()";
    expect((await run(text, { useDefineForClassFields: false })).value).toBe("y");
    expect((await run(text)).value).toBe("y,x,z");
  });

  it("a decorated class expression is refused, as it was before the proposal", () => {
    expect(() => code("const mark: any = 1;\nconst A = @mark class {}")).toThrow(
      "Under experimentalDecorators a class expression takes no decorators: declare the class",
    );
  });
});

it("what esbuild cannot compile is said in words", () => {
  const text = "class B { m() { return @(super.m) class {} } }\nfunction* f() { @(yield 1) class C {} }";
  expect(() => compile(text, NO_BINDINGS, { script: "1", flush: true })).toThrow(
    /^This class cannot be compiled with its decorators: /,
  );
});

it("a cell without decorators does not load what lowers them", () => {
  const { code } = compile("// @epoch\nfor (;;) break", NO_BINDINGS, { script: "1", flush: true });
  expect(code).not.toContain("__decorate");
});
