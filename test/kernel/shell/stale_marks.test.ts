// Stale cells in the real kernel: one quiet line below each, and `%stale`.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Json, Message } from "../../../kernel/protocol/messages.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";

let kernel: KernelProcess;
beforeAll(async () => {
  kernel = await KernelProcess.start();
});
afterAll(() => kernel.stop());
beforeEach(async () => {
  await kernel.client.execute("%reset -f\n%stale on");
});

const run = (cellId: string, code: string, deletedCells: readonly string[] = []) =>
  kernel.client.execute(code, { cellId, deletedCells });
/** The marks that come under a cell, also after its end. */
const isMark = ({ content }: Message) => (content["metadata"] as Json | undefined)?.["mpslab"] !== undefined;
const textOf = ({ content }: Message) => (content["data"] as Record<string, string>)["text/plain"];
const nextMark = () => kernel.client.nextPublished(isMark);

/** Three cells; the numbers with which they ran. */
async function runThree(): Promise<number[]> {
  const cells = { rate: "let rate = Math.random();", scaled: "const scaled = 10 * rate;", shown: "scaled" };
  const numbers: number[] = [];
  for (const [cell, code] of Object.entries(cells)) {
    numbers.push(Number((await run(cell, code)).reply["execution_count"]));
  }
  return numbers;
}

describe("a stale cell", () => {
  it("gets one quiet line when a name that it used is redefined by its cell, and so do those that used it", async () => {
    const [, scaled] = await runThree();
    const earlier = kernel.client.published.filter(isMark).length;
    const again = Number((await run("rate", "let rate = 0.5;")).reply["execution_count"]);
    await nextMark();
    await kernel.client.execute("%stale");
    const marks = kernel.client.published.filter(isMark).slice(earlier);
    expect(marks.map(({ header }) => header.msg_type)).toEqual(["display_data", "display_data"]);
    expect(marks.map(textOf)).toEqual([
      `Stale: used rate, which Cell [${again}] has redefined since. %stale lists the cells to run again.`,
      `Stale: used scaled of Cell [${scaled}], which is stale. %stale lists the cells to run again.`,
    ]);
    expect((marks[0]!.content["data"] as Json)["text/html"]).toMatch(/^<div style="color: var\(--jp-ui/);
  });

  it("says so itself when it runs and uses something stale", async () => {
    const [, scaled] = await runThree();
    await run("rate", "let rate = 0.5;");
    const { displays } = await run("shown", "scaled + 1");
    expect(displays.map((bundle) => bundle["text/plain"])).toEqual([
      `Stale: used scaled of Cell [${scaled}], which is stale. %stale lists the cells to run again.`,
    ]);
    await run("scaled", "const scaled = 10 * rate;");
    expect((await run("shown", "scaled + 1")).displays).toEqual([]);
  });

  it("is listed by %stale with the reason, in the order to run", async () => {
    const [, scaled, shown] = await runThree();
    expect((await kernel.client.execute("%stale")).stdout).toBe("No cell is stale.\n");
    const again = Number((await run("rate", "let rate = 0.5;")).reply["execution_count"]);
    const width = Math.max(String(scaled).length, String(shown).length) + 2;
    const row = (count: number, text: string) => `  ${`[${count}]`.padStart(width)}  ${text}\n`;
    expect((await kernel.client.execute("%stale")).stdout).toBe(
      "Cells to run again, in this order:\n" +
        row(scaled!, `const scaled = 10 * rate;  used rate, which Cell [${again}] has redefined since`) +
        row(shown!, `scaled                     used scaled of Cell [${scaled}], which is stale`),
    );
  });

  it("is not marked under %stale off, its line is taken away, and the list works all the same", async () => {
    await runThree();
    await run("rate", "let rate = 0.5;");
    await nextMark();
    const gone = kernel.client.nextPublished((message) => isMark(message) && textOf(message) === "");
    await kernel.client.execute("%stale off");
    expect((await gone).header.msg_type).toBe("update_display_data");
    expect((await run("shown", "scaled + 1")).displays).toEqual([]);
    expect((await kernel.client.execute("%stale")).stdout).toMatch(/^Cells to run again/);
  });

  it("is not marked between cells that run one after the other", async () => {
    await runThree();
    const earlier = kernel.client.published.filter(isMark).length;
    await Promise.all([
      run("rate", "let rate = 0.5;"),
      run("scaled", "const scaled = 10 * rate;"),
      run("shown", "scaled"),
    ]);
    // Later than the marks would be.
    await kernel.client.execute("await new Promise((resolve) => setTimeout(resolve, 10))");
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(kernel.client.published.filter(isMark).slice(earlier)).toEqual([]);
  });

  it("is none where the front end does not say which cell runs; %stale says who used a name before", async () => {
    const numbers: unknown[] = [];
    for (const code of ["let rate = Math.random();", "const scaled = 10 * rate;", "let rate = 0.5;"]) {
      numbers.push((await kernel.client.execute(code)).reply["execution_count"]);
    }
    const [rate, scaled, again] = numbers;
    expect((await kernel.client.execute("%stale")).stdout).toBe(
      "No cell is stale.\nNot stale, unless the later definition was meant for them too:\n" +
        `  [${scaled}]  used rate of Cell [${rate}], before Cell [${again}] defined it\n`,
    );
  });

  it("is none that was deleted", async () => {
    await runThree();
    await run("rate", "let rate = 0.5;", ["scaled", "shown"]);
    expect((await kernel.client.execute("%stale")).stdout).toBe("No cell is stale.\n");
  });
});
