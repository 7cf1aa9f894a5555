// The history of kernels: its end, a range of it, a search in it; across kernels, many at once, and with a file that
// cannot be used.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { History } from "../../../kernel/history/history.ts";
import { thisSystem } from "../../../lib/platform/system.ts";
import { historyPath } from "../../../kernel/history/location.ts";
import type { HistoryItem } from "../../../kernel/history/history_file.ts";
import type { HistoryRequest } from "../../../kernel/protocol/requests.ts";

const folder = mkdtempSync(path.join(tmpdir(), "mpslab-history-"));
afterAll(() => rmSync(folder, { recursive: true }));

const log: string[] = [];
const open = (file: string | null) => new History(file, (line) => log.push(line));
const form = { output: false, raw: true };
const tail = (n = 99): HistoryRequest => ({ ...form, access: "tail", n });
const range = (session: number, start = 1, stop = 99): HistoryRequest => ({
  ...form,
  access: "range",
  session,
  start,
  stop,
});
const inputs = (items: readonly HistoryItem[]) => items.map(([, , input]) => input);

describe("one kernel", () => {
  const history = open(null);
  for (const [index, input] of ["let a = 1", "a + 1", "f(a)", "a + 1", "a.b[0]"].entries()) {
    history.add(index + 1, input);
    history.setSource(`/* compiled */ ${input}`);
  }
  history.setOutput(2, "2");
  const search = (pattern: string, options: { n?: number; unique?: boolean } = {}) =>
    inputs(history.query({ ...form, access: "search", pattern, n: 99, unique: false, ...options }));

  it("tail gives the last n, oldest first", () => {
    expect(history.query(tail(2))).toEqual([
      [1, 4, "a + 1"],
      [1, 5, "a.b[0]"],
    ]);
    expect(history.query(tail(0))).toEqual([]);
    expect(history.query(tail(-1))).toEqual([]);
    expect(history.query(tail(Number.MAX_SAFE_INTEGER))).toHaveLength(5);
  });

  it("with output each input is paired with its result, or null", () => {
    expect(history.query({ ...range(0, 1, 3), output: true })).toEqual([
      [1, 1, ["let a = 1", null]],
      [1, 2, ["a + 1", "2"]],
    ]);
  });

  it("without raw the inputs are given as they ran", () => {
    expect(inputs(history.query({ ...range(0, 1, 2), raw: false }))).toEqual(["/* compiled */ let a = 1"]);
  });

  it("range ends before stop; negative lines count from the end", () => {
    expect(inputs(history.query(range(0, 2, 4)))).toEqual(["a + 1", "f(a)"]);
    expect(inputs(history.query(range(1, -2)))).toEqual(["a + 1", "a.b[0]"]);
    expect(inputs(history.query(range(0, 1, -3)))).toEqual(["let a = 1", "a + 1"]);
    expect(history.query(range(-1))).toEqual([]);
  });

  it("search takes SQLite's GLOB, as IPython does; everything else is literal", () => {
    expect(search("a + *")).toEqual(["a + 1", "a + 1"]);
    expect(search("?(a)")).toEqual(["f(a)"]);
    expect(search("*[[]0]")).toEqual(["a.b[0]"]);
    expect(search("[a-f](*")).toEqual(["f(a)"]);
    expect(search("[^a]*")).toEqual(["let a = 1", "f(a)"]);
    expect(search("a")).toEqual([]);
    expect(search("%' OR 1 --")).toEqual([]);
  });

  it("unique keeps the latest of equal inputs, n the last ones", () => {
    expect(search("a + 1", { unique: true })).toEqual(["a + 1"]);
    expect(search("*", { unique: true })).toEqual(["let a = 1", "f(a)", "a + 1", "a.b[0]"]);
    expect(search("*", { n: 2 })).toEqual(["a + 1", "a.b[0]"]);
    expect(search("*", { n: 2, unique: true })).toEqual(["a + 1", "a.b[0]"]);
  });
});

describe("several kernels", () => {
  it("a later one finds what earlier ones ran, and counts sessions back from its own", () => {
    const file = path.join(folder, "new folder", "history.sqlite");
    for (const name of ["first", "second"]) {
      const history = open(file);
      history.add(1, `${name} 1`);
      history.add(2, `${name} 2`);
      history.setOutput(2, `${name}'s output`);
      history.close();
    }
    const history = open(file);
    history.add(1, "third");
    expect(history.query(tail(3))).toEqual([
      [2, 1, "second 1"],
      [2, 2, "second 2"],
      [3, 1, "third"],
    ]);
    expect(inputs(history.query(range(-1)))).toEqual(["second 1", "second 2"]);
    expect(inputs(history.query(range(1)))).toEqual(["first 1", "first 2"]);
    expect(history.query({ ...range(1, 2), output: true })).toEqual([[1, 2, ["first 2", "first's output"]]]);
    expect(inputs(history.query(range(0)))).toEqual(["third"]);
    history.close();
  });

  it("six that write at once lose nothing", async () => {
    const file = path.join(folder, "shared.sqlite");
    const program = `
      import { History } from ${JSON.stringify(path.resolve("dist/kernel/history/history.js"))};
      const history = new History(process.argv[1], console.error);
      for (let line = 1; line <= 200; line++) {
        history.add(line, process.pid + " " + line);
        history.setOutput(line, "out");
        if (line % 20 === 0) history.query({ access: "tail", n: 1, output: false, raw: true });
        await new Promise(setImmediate);
      }
      history.close();`;
    const writers = Array.from({ length: 6 }, () =>
      spawn(process.execPath, ["--input-type=module", "-e", program, file], { stdio: "inherit" }),
    );
    const codes = await Promise.all(writers.map((writer) => once(writer, "exit")));
    expect(codes.map(([code]) => code)).toEqual(writers.map(() => 0));
    const history = open(file);
    const items = history.query({ ...tail(9999), output: true });
    expect(new Set(items.map(([, , pair]) => pair[0])).size).toBe(1200);
    expect(items.every(([, , pair]) => pair[1] === "out")).toBe(true);
    history.close();
  });
});

describe("a file that cannot be used", () => {
  it("that is damaged is set aside, and a new one begins", () => {
    const file = path.join(folder, "damaged.sqlite");
    writeFileSync(file, "this is no database, ".repeat(500));
    const history = open(file);
    history.add(1, "kept");
    expect(history.query(tail())).toEqual([[1, 1, "kept"]]);
    history.close();
    const aside = readdirSync(folder).find((name) => name.startsWith("damaged.sqlite.damaged-"));
    expect(log.at(-1)).toBe(
      `the history file ${file} is damaged: it now lies at ${path.join(folder, String(aside))}, and a new one begins`,
    );
    const later = open(file);
    expect(inputs(later.query(tail()))).toEqual(["kept"]);
    later.close();
  });

  it("that another kernel has set aside already is not set aside twice", () => {
    const file = path.join(folder, "twice.sqlite");
    writeFileSync(file, "no database ".repeat(500));
    const [one, other] = [open(file), open(file)];
    one.add(1, "one");
    one.query(tail());
    other.add(1, "other");
    expect(inputs(other.query(tail()))).toEqual(["one", "other"]);
    expect(readdirSync(folder).filter((name) => name.startsWith("twice.sqlite.damaged-"))).toHaveLength(1);
    one.close();
    other.close();
  });

  it("that is a folder leaves a history as long as the kernel", () => {
    const file = path.join(folder, "a folder");
    mkdirSync(file);
    const history = open(file);
    history.add(1, "remembered");
    expect(history.query(tail())).toEqual([[1, 1, "remembered"]]);
    // Node's own SQLite, from Node 22 on, says the reason without the package's first words.
    expect(log.at(-1)?.replace("(Failed to open database: ", "(")).toBe(
      `the history file ${file} cannot be used (unable to open database file): ` +
        "inputs are remembered until this kernel ends. MPSLAB_HISTORY names another file.",
    );
    history.close();
  });
});

/** The program's own limit of file sizes stands for a full disk, which not every user may make. */
it.runIf(process.platform === "linux")(
  "a disk that is full for a while costs no cell: rows wait, and are written when there is room",
  async () => {
    const file = path.join(folder, "full.sqlite");
    const program = `
      import { execFileSync } from "node:child_process";
      import { History } from ${JSON.stringify(path.resolve("dist/kernel/history/history.js"))};
      const limit = (bytes) => execFileSync("prlimit", ["--pid", String(process.pid), "--fsize=" + bytes + ":"]);
      const history = new History(process.argv[1], (line) => console.log(line));
      const lines = () => history.query({ access: "tail", n: 9, output: false, raw: true }).map(([, line]) => line);
      history.add(1, "before");
      console.log(lines().join());
      limit(0);
      history.add(2, "on a full disk");
      history.add(3, "and another");
      console.log(lines().join());
      limit("unlimited");
      history.add(4, "after");
      console.log(lines().join());
      history.close();`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program, file], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const said = (await child.stdout.toArray()).join("").trimEnd().split("\n");
    expect(said).toEqual([
      "1",
      expect.stringMatching(
        /^the history file \S+full\.sqlite cannot be written \(.*\): cells are remembered, and written when there is room$/,
      ),
      "1",
      "1,2,3,4",
    ]);
    const later = open(file);
    expect(inputs(later.query(range(1)))).toEqual(["before", "on a full disk", "and another", "after"]);
    later.close();
  },
);

it.each([
  [{ MPSLAB_HISTORY: "off" }, "linux", null],
  [{ MPSLAB_HISTORY: "/data/h.sqlite" }, "linux", "/data/h.sqlite"],
  [{ XDG_DATA_HOME: "/data" }, "linux", "/data/mpslab/history.sqlite"],
  [{}, "linux", path.join(homedir(), ".local/share/mpslab/history.sqlite")],
  [{}, "darwin", path.join(homedir(), "Library/Application Support/mpslab/history.sqlite")],
] as const)("with %j on %s it lies in %s", (environment, name, expected) => {
  expect(historyPath(environment, { ...thisSystem, name })).toBe(expected);
});

it.skipIf(thisSystem.name === "win32")(
  "a file is its user's alone, one that an earlier version left readable too",
  () => {
    const file = path.join(folder, "readable.sqlite");
    writeFileSync(file, "", { mode: 0o644 });
    const history = open(file);
    history.add(1, "const password = 1");
    history.close();
    for (const name of readdirSync(folder).filter((name) => name.startsWith("readable")))
      expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
  },
);
