// Which epochs the ledger calls cut, in the real kernel: the loops that the compiler finds, those over `lab.epochs`, and
// those of a module, where its iterator is told; left by a throw, by Stop, and by what the loop itself decides.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";

let kernel: KernelProcess;
const folder = mkdtempSync(path.join(tmpdir(), "cut-"));
const run = (code: string) => kernel.client.execute(code);
/** `whole whole cut` */
const epochs = async () =>
  (await run("lab.ledger.epochs.map(({ cut }) => (cut ? 'cut' : 'whole')).join(' ')")).result;

beforeAll(async () => {
  writeFileSync(
    path.join(folder, "fit.ts"),
    `import { lab } from "mpslab";
export async function fit(step: (epoch: number) => Promise<void>) { for (const epoch of lab.epochs(9)) await step(epoch); }
export function each(step: (epoch: number) => unknown) {
  const tried: number[] = [];
  training: for (const i of lab.epochs([0, 1, 2, 3])) {
    const left = step(i);
    tried.push(i);
    if (left === "continue") continue training;
    if (left === "break") break training;
    if (left === "return") return tried;
  }
  return tried;
}
export function threeDeep(): number {
  let caught = 0;
  for (const epoch of lab.epochs(2)) {
    const inner = () => { for (const epoch of lab.epochs(3)) if (epoch === 1) throw new Error("inner"); };
    try { inner(); } catch { caught++; }
  }
  return caught;
}`,
  );
  kernel = await KernelProcess.start({ directory: folder });
  await run(`import { lab } from "mpslab";
import { each, fit, threeDeep } from "./fit.ts";
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const list = lab.epochs(9);`);
});
afterAll(async () => {
  await kernel.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => void (await run("lab.ledger.clear()")));

async function stopped(code: string): Promise<unknown> {
  const running = run(code);
  await kernel.client.nextPublished(
    ({ header, content }) => header.msg_type === "stream" && content["text"] === "stop me\n",
  );
  await kernel.client.request("interrupt_request", {}, "control");
  return (await running).reply["ename"];
}

describe.each([
  ["that the compiler finds", "for (let epoch = 0; epoch < 9; epoch++)"],
  ["over lab.epochs", "for (const epoch of lab.epochs(9))"],
  ["over lab.epochs, under another name of the variable", "for (const i of lab.epochs([0, 1, 2]))"],
  ["over what lab.epochs gave an earlier cell", "for (const epoch of list)"],
  ["that awaits its values", "for await (const epoch of lab.epochs(9))"],
])("a loop %s", (_, head) => {
  const name = head.includes("const i ") ? "i" : "epoch";

  it("is cut in the epoch that throws, and says so in its charts", async () => {
    const { reply, messages } = await run(
      `${head} { await sleep(1); if (${name} === 2) throw new RangeError("NaN"); }`,
    );
    expect(reply["ename"]).toBe("RangeError");
    expect(await epochs()).toBe("'whole whole cut'");
    const last = messages.findLast(({ header }) => header.msg_type === "update_display_data");
    expect(JSON.stringify(last!.content["data"])).toContain("epoch 3 was cut");
  });

  it("is cut in the epoch in which Stop finds it, busy or waiting", async () => {
    expect(await stopped(`${head} if (${name} === 1) { console.log("stop me"); for (;;); }`)).toBe(
      "KeyboardInterrupt",
    );
    expect(await epochs()).toBe("'whole cut'");
    expect(await stopped(`${head} { console.log("stop me"); await sleep(60_000); }`)).toBe(
      "KeyboardInterrupt",
    );
    expect(await epochs()).toBe("'whole cut cut'");
  });

  it("is whole to the last where it is left by break, by return, and where its error was caught inside", async () => {
    await run(`${head} if (${name} === 1) break;`);
    await run(`await (async () => { ${head} if (${name} === 1) return; })()`);
    await run(`${head} { try { throw new Error("caught"); } catch { if (${name} === 1) break; } }`);
    expect(await epochs()).toBe("'whole whole whole whole whole whole'");
  });
});

it("a module's loop over lab.epochs is cut in the epoch in which Stop finds it", async () => {
  const code = `await fit(async (epoch) => { if (epoch === 1) { console.log("stop me"); await sleep(60_000); } })`;
  expect(await stopped(code)).toBe("KeyboardInterrupt");
  expect(await epochs()).toBe("'whole cut'");
});

describe("a module's loop over lab.epochs", () => {
  it("is cut in the epoch that throws, at a line of the file", async () => {
    const { reply, errors } = await run(
      `await fit(async (epoch) => { if (epoch === 2) throw new RangeError("NaN"); })`,
    );
    expect(reply["ename"]).toBe("RangeError");
    expect((errors[0]!["traceback"] as string[]).join("\n")).toContain("fit.ts:2:");
    expect(await epochs()).toBe("'whole whole cut'");
  });

  it("tells a throw at the file's own line and column", async () => {
    const { errors } = await run("each((i) => { if (i === 1) (null as any).x; })");
    const stack = stripVTControlCharacters((errors[0]!["traceback"] as string[]).join("\n"));
    expect(stack).toContain("fit.ts:6:18");
    expect(await epochs()).toBe("'whole cut'");
  });

  it("is whole to the last where continue, break or return leave it", async () => {
    for (const [left, tried] of [
      ["continue", 4],
      ["break", 1],
      ["return", 1],
    ] as const) {
      expect((await run(`each(() => "${left}").length`)).result).toBe(String(tried));
      expect(await epochs()).toBe(`'${Array(tried).fill("whole").join(" ")}'`);
      await run("lab.ledger.clear()");
    }
  });

  it("within an epoch of another one cuts nothing of that one when it throws", async () => {
    expect((await run("threeDeep()")).result).toBe("2");
    expect(await epochs()).toBe("'whole whole'");
  });
});

it("a cell's own `lab` with a method `epochs` has loops like any other", async () => {
  const { result } = await run(
    "(() => { const lab = { epochs: (n: number) => Array(n).keys() }; let sum = 0; for (const x of lab.epochs(4)) sum += x; return sum; })()",
  );
  expect(result).toBe("6");
  expect(await epochs()).toBe("''");
});
