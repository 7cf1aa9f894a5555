// The compiler's process: it may die, hang or be missing, and the notebook goes on.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { RequestTimeoutError, LanguageServer } from "../../../../kernel/language/server/server.ts";
import { NotebookSession } from "../notebook_session.ts";

const open: { close(): void }[] = [];
afterEach(() => open.splice(0).forEach((one) => one.close()));

function notebook(): NotebookSession {
  const session = new NotebookSession();
  open.push(session);
  return session;
}

async function killServer(session: NotebookSession): Promise<void> {
  process.kill(await session.service.pid(), "SIGKILL");
}

test("types are checked where the path of temporary files is too long for a socket", async () => {
  const before = process.env["TMPDIR"];
  const long = path.join(mkdtempSync(path.join(tmpdir(), "long-")), "x".repeat(120));
  mkdirSync(long);
  process.env["TMPDIR"] = long;
  try {
    expect(await notebook().problems("const n: number = 'x'")).toEqual([
      "1:7 TS2322: Type 'string' is not assignable to type 'number'.",
    ]);
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
});

test("a process that dies between cells is replaced, and every name is there again", async () => {
  const session = notebook();
  await session.run("class Model { x = 1 } let model = new Model(); const losses = [1]");
  const before = await session.service.pid();
  await killServer(session);
  expect(await session.problems("model = new Model(); losses.push('x')")).toEqual([
    "1:34 TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
  ]);
  expect(await session.completions("losses.pus|")).toEqual(["push"]);
  expect(await session.service.pid()).not.toBe(before);
});

test("one that dies during a check is replaced, and the cell is checked all the same", async () => {
  const session = notebook();
  await session.run("const a = 1");
  const problems = session.problems("const b: string = a");
  await killServer(session);
  expect(await problems).toEqual([
    "1:7 TS2322: Type 'number' is not assignable to type 'string'. A number is no text: write String(a).",
  ]);
});

test("one that dies while a cell's names are taken over costs none of them", async () => {
  const session = notebook();
  await session.run("const a = [1]");
  session.commit("const b = a.map(String); class K { c = b }");
  await killServer(session);
  expect(await session.run("b.push('x'); new K().c.push('y'); a.push(1)")).toEqual([]);
});

test("a server that keeps dying is not started for ever, and says so", async () => {
  const server = new LanguageServer({ directory: tmpdir(), configurationName: "tsconfig.none.json" });
  open.push(server);
  for (let death = 0; death < 4; death++) {
    const pid = await server.pid();
    process.kill(pid, "SIGKILL");
    while ((await server.pid().catch(() => 0)) === pid)
      await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await expect(server.pid()).rejects.toThrow(
    "TypeScript's language server ended 4 times in 30 s; it is started again after that time.",
  );
});

test("a request past its deadline fails in plain words, and the next one is answered by a new process", async () => {
  const server = new LanguageServer({ directory: tmpdir(), configurationName: "tsconfig.none.json" });
  open.push(server);
  const before = await server.pid();
  process.kill(before, "SIGSTOP");
  // The signal stops one thread after the other, and until the last it may answer.
  while (!execFileSync("ps", ["-o", "state=", "-p", String(before)], { encoding: "utf8" }).startsWith("T"));
  const late = server.request("workspace/symbol", { query: "x" }, { deadlineMs: 50 });
  await expect(late).rejects.toThrow(
    new RequestTimeoutError("TypeScript did not answer within 0.05 s and was restarted."),
  );
  process.kill(before, "SIGKILL");
  expect(await server.request("workspace/symbol", { query: "zzz" })).toEqual([]);
  expect(await server.pid()).not.toBe(before);
});

test("a request that is given up rejects with the reason, and the process stays", async () => {
  const server = new LanguageServer({ directory: tmpdir(), configurationName: "tsconfig.none.json" });
  open.push(server);
  const before = await server.pid();
  const abort = new AbortController();
  const request = server.request("workspace/symbol", { query: "x" }, { signal: abort.signal });
  abort.abort(new Error("no longer wanted"));
  await expect(request).rejects.toThrow("no longer wanted");
  expect(await server.pid()).toBe(before);
});

test("a folder that does not exist", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "mpslab-gone-"));
  rmSync(directory, { recursive: true });
  const server = new LanguageServer({ directory, configurationName: "tsconfig.none.json" });
  open.push(server);
  await expect(server.pid()).rejects.toThrow(/^TypeScript's language server did not start: .*ENOENT/);
});

test("a closed service answers nothing and leaves no process behind", async () => {
  const session = notebook();
  await session.run("const a = 1");
  const pid = await session.service.pid();
  session.service.close();
  await expect(session.problems("a")).rejects.toThrow("The language service is closed.");
  expect((await session.service.complete("a", 1)).items).toEqual([]);
  await expect.poll(() => isAlive(pid)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
