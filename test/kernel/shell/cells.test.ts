// Tests what stops a cell before it runs, what it leaves to later ones, and the kernel's own magics. The rooms are
// mocks.
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startMockKernel, type MockKernel } from "../../helpers/mock_rooms.ts";

let kernel: MockKernel;
beforeEach(async () => {
  kernel = await startMockKernel();
});
afterEach(() => kernel.stop());

const failure = { ename: "Error", evalue: "no", traceback: ["Error: no", "  at Cell [1]:1:1"] };

describe("a cell that must not run", () => {
  const mismatch = {
    start: 8,
    end: 9,
    code: 2322,
    category: "error" as const,
    message: "Type 'string' is not assignable to type 'number'.",
  };

  it("because of a syntax error ends with line, caret and position", async () => {
    const { reply, errors } = await kernel.client.execute("1\nlet = = 3");
    expect(reply["ename"]).toBe("SyntaxError");
    expect(reply["evalue"]).toBe("Cell [1]:2:7 - Unexpected token");
    expect(errors).toHaveLength(1);
    expect(kernel.session.runs).toEqual([]);
  });

  it("because of a type error ends as tsc would print it, and leaves no name behind", async () => {
    kernel.language().diagnostics.set("let x = 1", [mismatch]);
    const { reply } = await kernel.client.execute("let x = 1");
    expect(reply["ename"]).toBe("TypeCheckError");
    expect(reply["evalue"]).toBe("Cell [1]:1:9 - TS2322: Type 'string' is not assignable to type 'number'.");
    expect(kernel.session.runs).toEqual([]);
    expect(kernel.language().committed).toEqual([]);
    expect(kernel.language().notRun).toEqual([1]);
  });

  it("runs all the same under %check warn, the error printed to stderr", async () => {
    await kernel.client.execute("%check warn");
    kernel.language().diagnostics.set("let x = 1", [mismatch]);
    const { reply, stderr } = await kernel.client.execute("let x = 1");
    expect(reply["status"]).toBe("ok");
    expect(stderr).toContain("Type 'string' is not assignable to type 'number'.");
    expect(kernel.session.runs).toHaveLength(2);
  });

  it("runs with a warning where its text shows 1.0 and the tensor is int64", async () => {
    const { reply, stderr } = await kernel.client.execute("let y = torch.tensor([1.0]).mul(2)");
    expect(reply["status"]).toBe("ok");
    expect(stripVTControlCharacters(stderr).split("\n")).toEqual([
      'Warning: torch.tensor([1.0]) is int64: JavaScript does not tell 1.0 from 1. Add { dtype: "float32" } for floats, or write the numbers without a point.',
      "> 1 | let y = torch.tensor([1.0]).mul(2)",
      "    |         ^^^^^^^^^^^^^^^^^^^",
      "    at Cell [1]:1:9",
      "",
    ]);
  });

  it("runs unchecked under %check off, and its names are known to the types all the same", async () => {
    kernel.language().diagnostics.set("          \nlet x = 1", [mismatch]);
    const { reply, stderr } = await kernel.client.execute("%check off\nlet x = 1");
    expect(reply["status"]).toBe("ok");
    expect(stderr).toBe("");
    expect(kernel.language().committed).toEqual([{ text: "          \nlet x = 1", names: ["x"] }]);
  });

  it("runs when the language server fails, which is said", async () => {
    kernel.language().diagnostics.set("1", async () => {
      throw new Error("the language server ended");
    });
    const { reply, stderr } = await kernel.client.execute("1");
    expect(reply["status"]).toBe("ok");
    expect(stderr).toBe("Types were not checked: the language server ended\n");
  });

  it("is told under which options it is checked, once, by the first cell that runs", async () => {
    kernel.language().note = "This notebook imports tslab.";
    kernel.language().diagnostics.set("let x = 1", [mismatch]);
    expect((await kernel.client.execute("let x = 1")).stderr).toBe("");
    const { stderr } = await kernel.client.execute("1");
    expect(stripVTControlCharacters(stderr)).toBe("This notebook imports tslab.\n");
    expect((await kernel.client.execute("2")).stderr).toBe("");
  });

  it("ignores suggestions and warnings of the checker", async () => {
    kernel.language().diagnostics.set("1", [{ ...mismatch, category: "suggestion" }]);
    expect((await kernel.client.execute("1")).reply["status"]).toBe("ok");
  });
});

describe("what a cell leaves behind", () => {
  it("is what it had initialised, when it failed", async () => {
    kernel.session.scripts.set("let a = 1; let b = f()", () => ({ error: failure, initialised: ["a"] }));
    await kernel.client.execute("let a = 1; let b = f()");
    expect(kernel.language().committed).toEqual([{ text: "let a = 1; let b = f()", names: ["a"] }]);
  });

  it("is forgotten when the session process dies, which the last cell says", async () => {
    await kernel.client.execute("let a = 1");
    const before = kernel.language();
    const said = kernel.client.nextPublished(({ header }) => header.msg_type === "stream");
    kernel.session.events.died("The session process was killed by SIGSEGV.", "All variables are lost.");
    expect((await said).content["text"]).toBe(
      "The session process was killed by SIGSEGV. All variables are lost.\n",
    );
    expect(before.closed).toBe(true);
    expect(kernel.language().lost).toEqual(["a"]);
    expect(kernel.language()).not.toBe(before);
    expect((await kernel.client.execute("1")).reply["status"]).toBe("ok");
  });
});

describe("magics of the kernel", () => {
  it("%compiled prints what would run and does not run it", async () => {
    const { stdout } = await kernel.client.execute("%compiled\nlet x = 1");
    expect(stdout).toBe("/* flush */ let x = 1\n");
    expect(kernel.session.runs).toEqual([]);
  });

  it("%flush off holds from its own cell on, until %flush on", async () => {
    await kernel.client.execute("%flush off\n1");
    await kernel.client.execute("2");
    await kernel.client.execute("%flush on\n3");
    expect(kernel.session.runs.map(({ code }) => code)).toEqual(["1", "2", "/* flush */ 3"]);
  });

  it("%lsmagic lists them, and a question mark asks for one", async () => {
    const { stdout } = await kernel.client.execute("%lsmagic");
    expect(stdout).toMatch(/^ {2}%check +what a type error does to its cell, /m);
    expect((await kernel.client.execute("%flush?")).stdout).toBe(
      "%flush [on | off]\n\n" +
        "Whether epoch loops flush, from this cell on; without an argument, whether they do now.\n\n" +
        "Under off they are still measured, and nothing is collected or emptied.\n",
    );
  });

  it.each([
    ["%flush", "%flush is on\n"],
    ["%flush off\n%flush", "%flush is off\n"],
    ["%check", "%check is error\n"],
    ["%check warn\n%check\n%flush", "%check is warn\n%flush is on\n"],
  ])("%j says what is set at its line", async (code, text) => {
    const { stdout, reply } = await kernel.client.execute(code);
    expect(reply["status"]).toBe("ok");
    expect(stdout).toBe(text);
  });

  it("the session checks the argument of its own magic", async () => {
    await kernel.client.execute("%device cuda:1");
    expect(kernel.session.runs).toHaveLength(1);
  });
});
