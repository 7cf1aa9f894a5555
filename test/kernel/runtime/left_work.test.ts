// For a client that shows nothing of a cell after its end, a cell waits a while for what it began and did not await, and fails
// with what that throws.
import { afterAll, beforeAll, expect, it } from "vitest";
import { Notebook } from "../session/notebook.ts";

let notebook: Notebook;
beforeAll(() => void (notebook = new Notebook()));
afterAll(() => notebook.close());

const headless = { endsWithItsWork: true };

it("an error 50 ms after the cell's last line is the cell's", async () => {
  const run = await notebook.run(
    'async function main() { await new Promise((resolve) => setTimeout(resolve, 50)); throw new RangeError("too late"); } main(); undefined',
    headless,
  );
  expect(run.done.error).toMatchObject({ ename: "RangeError", evalue: "too late" });
  expect(run.lateErrors).toEqual([]);
});

it("what is printed and thrown in a timer belongs to it; a rejection that is handled in time is none", async () => {
  const timer = await notebook.run(
    'setTimeout(() => { console.log("later"); throw new Error("in a timer"); }, 20);',
    headless,
  );
  expect([timer.stdout, timer.done.error?.evalue]).toEqual(["later\n", "in a timer"]);
  const handled = await notebook.run(
    'const failing = Promise.reject(new Error("known")); setTimeout(() => failing.catch(() => console.log("handled")), 20); undefined',
    headless,
  );
  expect([handled.stdout, handled.stderr, handled.done.error]).toEqual(["handled\n", "", undefined]);
});

it("what goes on for longer does not hold it up, and other clients hear of an error later", async () => {
  const lasting = await notebook.run("const lasting = setInterval(() => {}, 100); 1", headless);
  expect([lasting.text, lasting.done.error]).toEqual(["1", undefined]);
  const { done } = await notebook.run(
    'clearInterval(lasting); setTimeout(() => { throw new Error("late"); }, 1); undefined',
  );
  expect(done.error).toBeUndefined();
  await notebook.message((message) => message.type === "lateError" && message.cell === done.cell);
});

it("prompt has a default, and a group of the console ends with its cell", async () => {
  const questions: string[] = [];
  notebook.answer = (question) => {
    questions.push(question);
    return "";
  };
  expect(
    (await notebook.run('[prompt("Name?", "Ada"), prompt("Age?", { default: "36" }), prompt("Town?")]')).text,
  ).toBe("[ 'Ada', '36', '' ]");
  expect(questions).toEqual(["Name? [Ada] ", "Age? [36] ", "Town?"]);
  expect((await notebook.run('console.group("open"); console.log("inside");')).stdout).toBe(
    "open\n  inside\n",
  );
  expect((await notebook.run('console.log("outside");')).stdout).toBe("outside\n");
});

it("what a cell replaces of the output, and listens to, ends before the next cell, which is told", async () => {
  const text = (names: string) =>
    `An earlier cell has changed ${names}: from here on that is the kernel's own again.\n`;
  await notebook.run(
    'const { log } = console; console.log = () => {}; process.stdout.write = () => true; process.on("unhandledRejection", () => log("mine")); undefined',
  );
  const next = await notebook.run('console.log("shown"); process.stdout.write("whole\\n"); undefined');
  expect([next.stdout, next.stderr]).toEqual([
    "shown\nwhole\n",
    text('console.log, process.stdout.write and process.on("unhandledRejection")'),
  ]);
  await notebook.run(
    "globalThis.console = null as never; process.stderr.end(); process.removeAllListeners();",
  );
  const last = await notebook.run(
    'console.error("still"); Promise.reject(new Error("told")); undefined',
    headless,
  );
  expect([last.stderr, last.done.error?.evalue]).toEqual([`${text("console")}still\n`, "told"]);
  expect((await notebook.run('console.error("again")')).stderr).toBe("again\n");
});
