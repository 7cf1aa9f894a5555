// Stop ends the child for which a cell waits, however it waits, and the cell's variables stay. What cells leave behind ends with
// the session, but for a child that was detached and unref()ed to outlive it.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAlive, untilGone } from "../../../helpers/process_tree.ts";
import { Notebook, traceback } from "../../session/notebook.ts";

const PREPARATION = `
  import { exec, execFileSync, execSync, spawn, spawnSync } from "node:child_process";
  import { promisify } from "node:util";
  let kept = 42;`;
/** Says its process number, and runs until it is ended. */
const CHILD = "echo pid $$; exec sleep 300";

const pidsIn = (text: string): number[] => [...text.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));

describe("Stop, while a cell waits in", () => {
  let notebook: Notebook;
  beforeAll(async () => {
    notebook = new Notebook();
    await notebook.run(PREPARATION);
  });
  afterAll(() => notebook.close());

  const shell = (script: string): string => `"sh", ["-c", ${JSON.stringify(script)}], { stdio: "inherit" }`;

  it.each([
    ["execSync", `execSync(${JSON.stringify(CHILD)}, { stdio: "inherit" });`],
    ["spawnSync", `spawnSync(${shell(CHILD)});`],
    ["execFileSync, in a loop that catches", `for (;;) { try { execFileSync(${shell(CHILD)}); } catch {} }`],
    [
      "execSync of a child that ignores SIGINT",
      `execFileSync(${shell(`trap "" INT; echo pid $$; sleep 300 & wait`)});`,
    ],
    [
      "an await of a spawned child",
      `const child = spawn(${shell(CHILD)}); await new Promise((resolve) => child.on("exit", resolve));`,
    ],
    ["a loop, beside a child", `spawn(${shell(CHILD)}); while (true) {}`],
    ["a command of %%sh", ""],
  ])("%s, ends the child and the cell", async (name, code) => {
    const { cell, end } = notebook.start(name.endsWith("%sh") ? `%sh ${CHILD}` : code);
    await notebook.message((message) => message.type === "stream" && message.cell === cell);
    notebook.interrupt();
    const run = await end;
    expect(run.done.error?.ename).toBe("KeyboardInterrupt");
    const pids = pidsIn(run.stdout);
    expect(pids).toHaveLength(1);
    await untilGone(pids);
    expect((await notebook.run("kept")).text).toBe("42");
  });

  it("leaves a detached child alone, and `finally` may start another", async () => {
    const { cell, end } = notebook.start(`
      const detached = spawn(${shell(CHILD).replace("{ ", "{ detached: true, ")});
      try { await new Promise(() => {}); } finally { console.log(execSync("echo cleaned").toString()); }`);
    await notebook.message((message) => message.type === "stream" && message.cell === cell);
    notebook.interrupt();
    const { stdout } = await end;
    expect(stdout).toContain("cleaned\n");
    expect(pidsIn(stdout).map(isAlive)).toEqual([true]);
  });

  it("says the line of the await that it ended, and those of the functions that waited", async () => {
    const { cell, end } = notebook.start(
      'async function outer() {\n  await inner();\n}\nasync function inner() {\n  setImmediate(console.log, "waits");\n  await new Promise(() => {});\n}\nawait outer();',
    );
    await notebook.message((message) => message.type === "stream" && message.cell === cell);
    notebook.interrupt();
    const told = traceback(await end);
    expect(told).toMatch(/^KeyboardInterrupt: [^\n]*\n[^]*> 6 \| {3}await new Promise/);
    expect(told).toMatch(
      /at async inner \(Cell \[\d+\]:6:\d+\)\n[^]*at async outer \(Cell \[\d+\]:2:\d+\)\n[^]*Cell \[\d+\]:8:/,
    );
  });
});

it("a child's output and exit status are the same as before", async () => {
  const notebook = new Notebook();
  await notebook.run(PREPARATION);
  const cell = `[
    execSync("echo out").toString(), spawnSync("sh", ["-c", "exit 3"]).status, execFileSync("echo", ["a"], { encoding: "utf8" }),
    execSync("echo $OWN", { env: { OWN: "mine" }, encoding: "utf8" }), (await promisify(exec)("echo later")).stdout,
    execSync.name, execSync.length]`;
  expect((await notebook.run(cell)).text).toBe(
    "[ 'out\\n', 3, 'a\\n', 'mine\\n', 'later\\n', 'execSync', 2 ]",
  );
  await notebook.close();
});

it("the session's end ends what cells left behind, however it was started, but for what is to outlive it", async () => {
  const notebook = new Notebook();
  await notebook.run(PREPARATION);
  const { stdout } = await notebook.run(`
    const options = { stdio: "inherit" } as const;
    spawn("sh", ["-c", ${JSON.stringify(CHILD)}], options);
    spawn("sh", ["-c", ${JSON.stringify(CHILD)}], { ...options, detached: true });
    execSync("(sleep 300 >/dev/null 2>&1 & echo pid $!)", options);
    execSync("setsid sh -c 'sleep 300 >/dev/null 2>&1 & echo pid $!'", options);
    const lasting = spawn("sleep", ["300"], { detached: true, stdio: "ignore" });
    lasting.unref();
    console.log("lasting", lasting.pid);
    while (execSync("ps -o comm= --ppid " + process.pid).toString().split("sleep").length < 4);`);
  const background = await notebook.run("%%sh\nsleep 300 >/dev/null 2>&1 &\necho pid $!");
  const pids = pidsIn(notebook.collect("cell-2").stdout + stdout + background.stdout);
  const lasting = Number(/lasting (\d+)/.exec(stdout)![1]);
  expect(new Set(pids).size).toBe(5);
  await notebook.close();
  await untilGone([...new Set(pids)]);
  expect(isAlive(lasting)).toBe(true);
  process.kill(lasting);
});
