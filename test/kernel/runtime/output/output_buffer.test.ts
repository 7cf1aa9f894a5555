// Text that is printed faster than it is worth a write: gathered, but never late, lost, split or out of order.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Notebook } from "../../session/notebook.ts";

let notebook: Notebook;
beforeEach(() => {
  notebook = new Notebook();
});
afterEach(() => notebook.close());

const LINES = 2000;
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}\n`).join("");
const burst = `for (let i = 0; i < ${LINES}; i++) console.log("line " + i);`;

describe("a burst of lines", () => {
  it("makes few messages, and the lines are all there", async () => {
    const { stdout, done } = await notebook.run(burst);
    expect(stdout).toBe(numbered(LINES));
    const messages = notebook.messages.filter(({ type }) => type === "stream");
    expect(messages.length).toBeLessThan(LINES / 2);
    expect(done.error).toBeUndefined();
  });

  it("is seen to its last line while the cell loops in silence after it", async () => {
    const { cell, end } = notebook.start(`${burst} while (true) {}`);
    await notebook.message(
      (message) => message.type === "stream" && message.text.includes(`line ${LINES - 1}\n`),
    );
    expect(notebook.collect(cell).stdout).toBe(numbered(LINES));
    notebook.interrupt();
    await end;
  });

  it("stays before what is displayed after it, and behind what was displayed before it", async () => {
    const { order, stdout } = await notebook.run(
      `display("first"); ${burst} display("second"); ${burst} console.error("third"); "fourth"`,
    );
    expect(order).toEqual(["display", "stdout", "display", "stdout", "stderr", "result"]);
    expect(stdout).toBe(numbered(LINES).repeat(2));
  });

  it("keeps stdout and stderr in their order, and every character", async () => {
    await notebook.run(
      'for (let i = 0; i < 500; i++) { process.stdout.write(`${i} é 😀 "\\\\\\n`); process.stderr.write(`${i}\\n`); }',
    );
    const texts = notebook.messages.flatMap((message) => (message.type === "stream" ? [message.text] : []));
    const expected = Array.from({ length: 500 }, (_, i) => `${i} é 😀 "\\\n${i}\n`).join("");
    expect(texts.join("")).toBe(expected);
  });

  it("with a line of a megabyte in it is whole", async () => {
    const { stdout } = await notebook.run(`${burst} console.log("x".repeat(1e6)); ${burst}`);
    expect(stdout).toBe(`${numbered(LINES)}${"x".repeat(1e6)}\n${numbered(LINES)}`);
  });

  it("before process.exit() is not lost", async () => {
    const { stdout, done } = await notebook.run(`${burst} process.exit(3);`);
    expect(done.error?.ename).toBe("SessionEnded");
    expect(stdout).toBe(numbered(LINES));
  });

  it("of two cells that take turns goes to each its own", async () => {
    const printing = (name: string) =>
      `for (let i = 0; i < 30; i++) { for (let j = 0; j < 30; j++) console.log("${name} " + i); await null; }`;
    const [one, two] = [
      notebook.start(printing("one")),
      notebook.start(printing("two"), { subshell: "other" }),
    ];
    for (const [name, { stdout }] of [
      ["one", await one.end],
      ["two", await two.end],
    ] as const) {
      expect(stdout).toBe(Array.from({ length: 900 }, (_, i) => `${name} ${Math.floor(i / 30)}\n`).join(""));
    }
  });

  it("that is printed out of a recursion without end does not silence the session", async () => {
    const { done } = await notebook.run(
      "function deep(n: number): void { console.log(n); deep(n + 1); } deep(0);",
    );
    expect(done.error?.ename).toBe("RangeError");
    expect((await notebook.run("console.log('heard')")).stdout).toBe("heard\n");
  });
});

it("lines at leisure are written one by one", async () => {
  const { done } = await notebook.run(
    "for (let i = 0; i < 5; i++) { console.log(i); await new Promise((resolve) => setTimeout(resolve, 20)); }",
  );
  const texts = notebook.messages.filter(
    (message) => message.type === "stream" && message.cell === done.cell,
  );
  expect(texts).toHaveLength(5);
});
