// Subshells (JEP 91) in the real kernel: cells that run while another cell awaits.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KernelProcess } from "../../helpers/kernel_process.ts";

let kernel: KernelProcess;
beforeAll(async () => {
  kernel = await KernelProcess.start();
  await run("const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));");
});
afterAll(() => kernel.stop());

const run = (code: string, subshell_id?: string) =>
  kernel.client.execute(code, subshell_id === undefined ? {} : { subshell_id });
const control = async (type: string, content = {}) =>
  (await kernel.client.request(type, content, "control")).content;
const create = async () => String((await control("create_subshell_request"))["subshell_id"]);
const list = async () => (await control("list_subshell_request"))["subshell_id"];
const printed = (text: string) =>
  kernel.client.nextPublished(({ content }) => String(content["text"]).includes(text));
/** Awaits until `release()` is called in another shell. */
const WAIT =
  'const gate = new Promise<void>((resolve) => Object.assign(globalThis, { release: resolve })); console.log("waiting"); await gate; "released"';
/** Resolves, with the cell, when it waits. */
const block = async (subshell?: string) => {
  const waiting = printed("waiting");
  const cell = run(WAIT, subshell);
  await waiting;
  // In an object: a promise of a promise would wait for the cell.
  return { cell };
};
const RELEASE = '(globalThis as unknown as { release(): void }).release(); "done"';

describe("subshells", () => {
  it("are made, listed and deleted on the control channel", async () => {
    const [one, two] = [await create(), await create()];
    expect(one).not.toBe(two);
    expect(await list()).toEqual([one, two]);
    expect(await control("delete_subshell_request", { subshell_id: one })).toEqual({ status: "ok" });
    expect(await list()).toEqual([two]);
    expect(await control("delete_subshell_request", { subshell_id: one })).toMatchObject({
      status: "error",
      evalue: `there is no subshell "${one}": it was deleted, or this kernel never had it`,
    });
    await control("delete_subshell_request", { subshell_id: two });
    expect((await run("1", two)).reply).toMatchObject({ status: "error", ename: "TypeError" });
  });

  it("run their cells while the main shell's awaits, with the names and values of earlier cells", async () => {
    const shell = await create();
    await run("let counter = 1");
    const main = await block();
    expect((await run("counter += 41; counter", shell)).result).toBe("42");
    expect((await run(RELEASE, shell)).result).toBe("'done'");
    expect((await main.cell).result).toBe("'released'");
    expect((await run("counter")).result).toBe("42");
  });

  it("keep the outputs of each cell under its own request, also in turns", async () => {
    const shell = await create();
    const loop = (name: string) =>
      `for (let i = 0; i < 5; i++) { console.log("${name} " + i); await sleep(5); } display("${name}"); "${name} ended"`;
    const [main, other] = await Promise.all([run(loop("main")), run(loop("other"), shell)]);
    for (const [name, cell] of [
      ["main", main],
      ["other", other],
    ] as const) {
      expect(cell.stdout).toBe([0, 1, 2, 3, 4].map((i) => `${name} ${i}\n`).join(""));
      expect(cell.displays).toEqual([{ "text/plain": `'${name}'` }]);
      expect(cell.result).toBe(`'${name} ended'`);
    }
    expect(other.messages.at(0)?.parent_header).toMatchObject({ subshell_id: shell });
  });

  it("run their own cells in order", async () => {
    const shell = await create();
    await run("const order: string[] = []");
    const slow = run('await sleep(50); order.push("slow")', shell);
    const quick = run('order.push("quick")', shell);
    await Promise.all([slow, quick]);
    expect((await run("order.join()")).result).toBe("'slow,quick'");
  });

  it("wait for a loop that never awaits: there is one JavaScript thread", async () => {
    const shell = await create();
    const looping = printed("looping");
    const main = run(
      'console.log("looping"); const end = Date.now() + 200; while (Date.now() < end); Date.now()',
    );
    await looping;
    const other = await run("Date.now()", shell);
    expect(Number(other.result)).toBeGreaterThanOrEqual(Number((await main).result));
  });

  it("abort what waits in them alone after an error, and when they are deleted", async () => {
    const [one, two] = [await create(), await create()];
    const beside = await block(two);
    const failing = run('await sleep(50); throw new Error("stop")', one);
    const behind = run("1", one);
    expect((await failing).reply["ename"]).toBe("Error");
    expect((await behind).reply["ename"]).toBe("Aborted");
    await run(RELEASE);
    expect((await beside.cell).result).toBe("'released'");

    const started = printed("waiting");
    const [running, waiting] = [run(WAIT, one), run("3", one)];
    await started;
    await control("delete_subshell_request", { subshell_id: one });
    await run(RELEASE);
    expect((await running).result).toBe("'released'");
    expect((await waiting).reply["ename"]).toBe("Aborted");
  });

  it("are all stopped by an interrupt, values kept", async () => {
    const shell = await create();
    await run("let kept = 7");
    const waits = printed("second waits");
    const cells = [
      run("await new Promise(() => {})"),
      run('console.log("second waits"); await new Promise(() => {})', shell),
    ];
    await waits;
    await control("interrupt_request");
    for (const cell of cells) expect((await cell).reply["ename"]).toBe("KeyboardInterrupt");
    expect((await run("kept", shell)).result).toBe("7");
  });

  it("show the kernel as busy until the last cell has ended", async () => {
    const shell = await create();
    const main = await block();
    await run(RELEASE, shell);
    await main.cell;
    const states = kernel.client.published.filter(({ header }) => header.msg_type === "status");
    expect(states.at(-1)?.content["execution_state"]).toBe("idle");
    const busyAgain = states.at(-2);
    expect(busyAgain?.content["execution_state"]).toBe("busy");
  });

  it("leave the library's state to the cell that still runs", async () => {
    const shell = await create();
    await run('import { torch } from "mpslab"; import { lab } from "mpslab"');
    const begun = printed("first epoch");
    const main = run(
      'for (const epoch of lab.epochs(3)) { if (epoch === 0) console.log("first epoch"); await sleep(30); } lab.ledger.epochs.length',
    );
    await begun;
    expect((await run("torch.ones([2]).sum().item()", shell)).result).toBe("2");
    expect((await main).result).toBe("3");
  });
});
