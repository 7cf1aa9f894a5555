// `%outputs`: what a cell put out while nobody looked, and what it still puts out.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deferred, startMockKernel, type MockKernel } from "../../helpers/mock_rooms.ts";

let kernel: MockKernel;
beforeEach(async () => {
  kernel = await startMockKernel();
});
afterEach(() => kernel.stop());

const ENDED = /^Cell \[1\] ended at \d\d:\d\d:\d\d\. Its outputs:\n/;
const RUNS = /^Cell \[1\] runs since \d\d:\d\d:\d\d\. Its outputs so far, and those that follow:\n/;

/** A cell that prints "step 1", and "step 2" when it is let on. */
function train() {
  const onward = deferred<void>();
  kernel.session.scripts.set("train()", async (cell) => {
    cell.print("step 1\n");
    cell.report("display", {
      data: { "text/plain": "loss 3" },
      metadata: {},
      displayId: "loss",
      update: false,
    });
    await onward.promise;
    cell.report("display", {
      data: { "text/plain": "loss 2" },
      metadata: {},
      displayId: "loss",
      update: true,
    });
    cell.print("step 2\n");
    cell.report("result", { data: { "text/plain": "trained" }, metadata: {} });
  });
  const shown = kernel.client.nextPublished(({ header }) => header.msg_type === "display_data");
  const cell = kernel.client.execute("train()");
  // In an object: a promise of a promise would wait for the cell.
  return shown.then(() => ({ cell, goOn: () => onward.resolve() }));
}

describe("%outputs", () => {
  it("shows the outputs of the latest cell again: text, displays as last updated, and its result", async () => {
    const { cell, goOn } = await train();
    goOn();
    await cell;
    const { reply, stdout, displays, result } = await kernel.client.execute("%outputs");
    expect(reply["status"]).toBe("ok");
    expect(stdout).toMatch(ENDED);
    expect(stdout.replace(ENDED, "")).toBe("step 1\nstep 2\n");
    expect(displays).toEqual([{ "text/plain": "loss 2" }, { "text/plain": "trained" }]);
    expect(result).toBeUndefined();
  });

  it("of a page that was loaded again is answered while the cell runs, and shows what follows until that ends", async () => {
    const { cell, goOn } = await train();
    const shown = kernel.client.nextPublished(({ content }) => RUNS.test(String(content["text"])));
    const asking = kernel.client.execute("%outputs", { session: "the page again" });
    await shown;
    goOn();
    const { stdout, displays } = await asking;
    expect(stdout.replace(RUNS, "")).toBe("step 1\nstep 2\n");
    // An update reaches every display of its id: it is not repeated.
    expect(displays).toEqual([{ "text/plain": "loss 3" }, { "text/plain": "trained" }]);
    expect((await cell).reply["status"]).toBe("ok");
  });

  it("of the page that sent the cells waits for its turn among them", async () => {
    const { cell, goOn } = await train();
    const asking = kernel.client.execute("%outputs 2");
    goOn();
    await cell;
    expect((await asking).reply["evalue"]).toContain("The outputs of Cell [2] are not kept; [1] are.");
  });

  it("that is refused while another page's cells wait aborts none of them", async () => {
    const { cell, goOn } = await train();
    const waiting = kernel.client.execute("two()");
    const asking = await kernel.client.execute("%outputs 7", { session: "the page again" });
    expect(asking.reply["status"]).toBe("error");
    goOn();
    await cell;
    expect((await waiting).reply["status"]).toBe("ok");
  });

  it("shows how the cell failed, and does not fail itself", async () => {
    kernel.session.scripts.set("fail()", () => ({
      error: { ename: "RangeError", evalue: "no", traceback: [] },
    }));
    await kernel.client.execute("fail()");
    const { reply, errors } = await kernel.client.execute("%outputs");
    expect(reply["status"]).toBe("ok");
    expect(errors).toEqual([{ ename: "RangeError", evalue: "no", traceback: [] }]);
  });

  it("takes the number of a cell, as 1 or [1]", async () => {
    kernel.session.scripts.set("one()", (cell) => cell.print("one\n"));
    await kernel.client.execute("one()");
    await kernel.client.execute("two()");
    for (const number of ["1", "[1]"]) {
      expect((await kernel.client.execute(`%outputs ${number}`)).stdout.replace(ENDED, "")).toBe("one\n");
    }
    expect((await kernel.client.execute("%outputs")).stdout).toMatch(/^Cell \[2\] .* It had no outputs\.\n$/);
  });

  it.each([
    ["%outputs 7", "The outputs of Cell [7] are not kept; [1] are."],
    ["%outputs last", '%outputs takes the number of a cell, not "last": %outputs 12.'],
  ])("%j is refused with what can be asked for", async (code, message) => {
    await kernel.client.execute("1");
    const { reply } = await kernel.client.execute(code);
    expect(reply).toMatchObject({ status: "error", ename: "MagicError" });
    expect(reply["evalue"]).toContain(message);
  });

  it("says so when no cell has run, and shows nothing of silent cells", async () => {
    kernel.session.scripts.set("quiet()", (cell) => cell.print("secret\n"));
    await kernel.client.execute("quiet()", { silent: true });
    expect((await kernel.client.execute("%outputs")).stdout).toBe(
      "No cell that put something out has run yet.\n",
    );
  });

  it("stands beside other code too, where it waits for its turn", async () => {
    kernel.session.scripts.set("one()", (cell) => cell.print("one\n"));
    await kernel.client.execute("one()");
    expect((await kernel.client.execute("%outputs\n2")).stdout.replace(ENDED, "")).toBe("one\n");
    expect(kernel.session.runs.at(-1)?.text).toBe("%outputs\n2");
  });
});
