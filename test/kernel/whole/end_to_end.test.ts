// Cells in the real kernel: sockets, compiler, type checker and session process together, as a notebook uses them.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SESSION_ENVIRONMENT } from "../../../kernel/session/process.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";

const directory = mkdtempSync(join(tmpdir(), "mpslab-notebook-"));
let kernel: KernelProcess;
beforeAll(async () => {
  kernel = await KernelProcess.start({ directory });
});
afterAll(async () => {
  await kernel.stop();
  rmSync(directory, { recursive: true });
});

const run = (code: string) => kernel.client.execute(code);
const traceback = (reply: Readonly<Record<string, unknown>>): string =>
  stripVTControlCharacters((reply["traceback"] as string[]).join("\n"));
/** Resolves when a running cell prints `text`. */
const printed = (text: string) =>
  kernel.client.nextPublished(({ content }) => String(content["text"]).includes(text));

describe("state", () => {
  it("goes from cell to cell, with its types", async () => {
    await run("const sizes: number[] = [1, 2, 3];");
    await run("function total() { return sizes.reduce((sum, size) => sum + size, 0); }");
    expect((await run("total()")).result).toBe("6");
  });

  it("takes a name again with another type, and functions see the new value", async () => {
    await run("let unit = 1; const show = () => `unit ${unit}`;");
    await run('let unit = "cm";');
    expect((await run("show() + unit.length")).result).toBe("'unit cm2'");
  });

  it("keeps what a failing cell had initialised", async () => {
    await run('const before = 1; throw new Error("stop"); const after = 2;');
    expect((await run("before")).result).toBe("1");
    expect((await run("after")).reply["evalue"]).toContain("Cannot find name 'after'");
  });

  it("survives await at the top, in loops too", async () => {
    await run(
      "const waits: number[] = []; for (const ms of [1, 2]) { await new Promise((r) => setTimeout(r, ms)); waits.push(ms); }",
    );
    expect((await run("waits")).result).toBe("[ 1, 2 ]");
  });
});

describe("errors", () => {
  it("of types stop the cell before anything runs, with a caret", async () => {
    const { reply, stdout } = await run('console.log("not printed");\nconst wrong: number = "one";');
    const count = reply["execution_count"];
    expect(stdout).toBe("");
    expect(traceback(reply)).toBe(
      [
        "TypeCheckError: Type 'string' is not assignable to type 'number'. (TS2322)",
        '  1 | console.log("not printed");',
        '> 2 | const wrong: number = "one";',
        "    |       ^^^^^",
        `    at Cell [${count}]:2:7`,
      ].join("\n"),
    );
  });

  it("of syntax name the place", async () => {
    const { reply } = await run("1 +\n* 2");
    expect(reply["ename"]).toBe("SyntaxError");
    expect(reply["evalue"]).toMatch(/^Cell \[\d+\]:2:1 - /);
  });

  it("at run time name the line of the cell that threw, through functions of other cells", async () => {
    const first = (await run('function fails() {\n  throw new RangeError("too far");\n}')).reply[
      "execution_count"
    ];
    const { reply } = await run("\n\nfails()");
    expect(reply).toMatchObject({ ename: "RangeError", evalue: "too far" });
    expect(traceback(reply)).toContain(`Cell [${first}]:2:9`);
    expect(traceback(reply)).toContain(`Cell [${reply["execution_count"]}]:3:1`);
  });

  it("of a timer come later, under its own cell", async () => {
    const late = kernel.client.nextPublished(({ header }) => header.msg_type === "error");
    const { messages } = await run('void setTimeout(() => { throw new Error("late"); }, 20);');
    const { content, parent_header } = await late;
    expect(content["evalue"]).toBe("late");
    expect(parent_header).toEqual(messages[0]?.parent_header);
  });

  it.each(["process.exit(3)", "process.abort()"])("%s ends the session, not the kernel", async (code) => {
    const { reply } = await run(code);
    expect(reply["ename"]).toBe("SessionEnded");
    expect(reply["evalue"]).toContain("The next cell starts a new session.");
    expect((await run("1 + 1")).result).toBe("2");
  });
});

describe("output", () => {
  it("of 20,000 lines arrives whole, in order, before idle", async () => {
    const { stdout, messages } = await run("for (let line = 0; line < 20_000; line++) console.log(line);");
    expect(stdout).toBe(Array.from({ length: 20_000 }, (_, line) => `${line}\n`).join(""));
    expect(messages.at(-1)?.content["execution_state"]).toBe("idle");
    expect(messages.length).toBeLessThan(60);
  });

  it("of child processes and of descriptors belongs to the cell", async () => {
    const { stdout, stderr } = await run(
      'import { execSync } from "node:child_process"; import { writeSync } from "node:fs";\n' +
        'execSync("echo child; echo wrong >&2", { stdio: "inherit" }); void writeSync(1, "descriptor\\n");',
    );
    expect(stdout).toBe("child\ndescriptor\n");
    expect(stderr).toBe("wrong\n");
  });

  it("of display is shown once, also where it ends the cell, and can be updated", async () => {
    const { displays, result } = await run('const shown = display({ "text/html": "<b>1</b>" })');
    expect(displays).toEqual([{ "text/html": "<b>1</b>" }]);
    expect(result).toBeUndefined();
    expect((await run("display(1)")).result).toBeUndefined();
    const { messages } = await run('shown.update({ "text/html": "<b>2</b>" })');
    expect(messages.find(({ header }) => header.msg_type === "update_display_data")?.content["data"]).toEqual(
      {
        "text/html": "<b>2</b>",
      },
    );
  });

  it("of tensors prints like PyTorch's", async () => {
    const { result } = await run('import { torch } from "mpslab"; torch.tensor([[1.5, 2], [3, 4]]).mul(2)');
    expect(result).toBe("tensor([[3., 4.],\n        [6., 8.]])");
  });
});

describe("input", () => {
  it("comes from the client, while the cell blocks on it", async () => {
    const question = kernel.client.nextMessage("stdin");
    const cell = kernel.client.execute('const name = prompt("Name?"); `Hello ${name}`', {
      allow_stdin: true,
    });
    expect((await question).content).toEqual({ prompt: "Name?", password: false });
    await kernel.client.send("stdin", kernel.client.newMessage("input_reply", { value: "Ada" }));
    expect((await cell).result).toBe("'Hello Ada'");
  });

  it("can be interrupted while nobody answers", async () => {
    const question = kernel.client.nextMessage("stdin");
    const cell = kernel.client.execute('prompt("Never?")', { allow_stdin: true });
    await question;
    await kernel.client.request("interrupt_request", {}, "control");
    expect((await cell).reply["ename"]).toBe("KeyboardInterrupt");
  });
});

describe("while a cell runs", () => {
  it.each(["while (true) {}", "await new Promise(() => {})"])(
    "%s: completion, inspection and history are answered, and an interrupt keeps the state",
    async (code) => {
      const started = printed("started");
      const cell = run(`let alive = 1; console.log("started"); ${code}`);
      await started;
      const completion = await kernel.client.request("complete_request", { code: "Math.hyp", cursor_pos: 8 });
      expect(completion.content["matches"]).toEqual(["hypot"]);
      const inspection = await kernel.client.request("inspect_request", {
        code: "parseFloat",
        cursor_pos: 3,
      });
      expect(inspection.content["found"]).toBe(true);
      await kernel.client.request("history_request", { hist_access_type: "tail", n: 1 });
      await kernel.client.request("interrupt_request", {}, "control");
      expect((await cell).reply).toMatchObject({ status: "error", ename: "KeyboardInterrupt" });
      expect((await run("alive")).result).toBe("1");
    },
  );
});

describe("an interrupt between cells", () => {
  it("never reaches the next cell", async () => {
    for (let round = 0; round < 50; round++) {
      await kernel.client.request("interrupt_request", {}, "control");
      expect((await run(`let round = ${round}; round`)).result).toBe(String(round));
    }
  });

  it("stops a timer that loops", async () => {
    const started = printed("timer loops");
    const code = 'void setTimeout(() => { console.log("timer loops"); for (;;) {} }, 20);';
    await kernel.client.execute(code, { allow_stdin: true });
    await started;
    await kernel.client.request("interrupt_request", {}, "control");
    expect((await run("1 + 1")).result).toBe("2");
  });

  it("stops a timer that loops while its cell waits for it, for a client that reads no later output", async () => {
    const started = printed("timer loops");
    const cell = run('void setTimeout(() => { console.log("timer loops"); for (;;) {} }, 20);');
    await started;
    await kernel.client.request("interrupt_request", {}, "control");
    expect((await cell).reply).toMatchObject({ status: "error", ename: "KeyboardInterrupt" });
    expect((await run("1 + 1")).result).toBe("2");
  });
});

describe("an editor", () => {
  it("completes names of earlier cells, below a magic too", async () => {
    await run("const learningRate = 0.1;");
    for (const code of ["learningR", "%flush on\nlearningR"]) {
      const { content } = await kernel.client.request("complete_request", { code, cursor_pos: code.length });
      expect(content["matches"]).toEqual(["learningRate"]);
    }
  });

  it("sees the type of a name and what it holds", async () => {
    await run('import { torch } from "mpslab"; const weights = torch.zeros([2, 3]);');
    const inspected = async () => {
      const { content } = await kernel.client.request("inspect_request", { code: "weights", cursor_pos: 7 });
      return (content["data"] as Record<string, string>)["text/plain"];
    };
    // A session that does not answer at once, as beside other programs, is called busy.
    await expect
      .poll(inspected)
      .toMatch(/^Tensor \[2, 3\] float32 on \w+, 24 bytes\n\nconst weights: Tensor<\[2, 3\], "float32">$/);
  });

  it.each([
    ["let = = 3", "invalid"],
    ["`open", "incomplete"],
    ["for (const x of [1, 2]) {", "incomplete"],
    ["%lsmagic", "complete"],
  ])("is_complete of %s is %s", async (code, status) => {
    expect((await kernel.client.request("is_complete_request", { code })).content["status"]).toBe(status);
  });
});

it("user expressions see the cell's names, and fail alone", async () => {
  const { reply } = await kernel.client.execute("const five = 5;", {
    user_expressions: { good: "five * 2", bad: "five.no.such", broken: "1 +" },
  });
  expect(reply["user_expressions"]).toMatchObject({
    good: { status: "ok", data: { "text/plain": "10" } },
    bad: { status: "error", ename: "TypeError" },
    broken: { status: "error", ename: "SyntaxError" },
  });
});

it("the session's threads spin only shortly while they wait, unless the user says otherwise", async () => {
  const { stdout } = await run("console.log(process.env.GOMP_SPINCOUNT)");
  // Undefined where this shell sets OMP_WAIT_POLICY.
  expect(stdout).toBe(`${process.env["GOMP_SPINCOUNT"] ?? SESSION_ENVIRONMENT["GOMP_SPINCOUNT"]}\n`);
});

it("local files are imported from the notebook's folder", async () => {
  writeFileSync(join(directory, "scale.ts"), "export const scale = (x: number): number => x * 10;\n");
  expect((await run('import { scale } from "./scale.ts"; scale(4)')).result).toBe("40");
});

it("usage counts the kernel, the session and the compiler's process", async () => {
  const own = (await kernel.client.request("usage_request", {}, "control")).content;
  expect(own["kernel_memory"]).toBeGreaterThan(100e6);
  expect(own["pid"]).toBe(kernel.process.pid);
});
