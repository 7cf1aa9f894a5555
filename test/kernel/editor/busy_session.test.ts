// An editor asks while a cell runs: types and documentation come from the kernel process, so answers do not wait.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../../../kernel/protocol/messages.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";

let kernel: KernelProcess;
beforeAll(async () => {
  kernel = await KernelProcess.start();
  await kernel.client.execute(
    'import { torch } from "mpslab"; const weights = torch.zeros([2, 3]); const anything: any = { alpha: 1 };',
  );
});
afterAll(() => kernel.stop());

const ask = async (type: "complete_request" | "inspect_request", code: string): Promise<Json> =>
  (await kernel.client.request(type, { code, cursor_pos: code.length })).content;
const plain = (content: Json) => (content["data"] as Record<string, string>)["text/plain"];

const BUSY = "The session is busy: the value can be looked at when the cell awaits or has ended.";

/** Runs a cell and, before it has ended, `body`. */
async function during(code: string, body: () => Promise<void>): Promise<void> {
  const ended: string[] = [];
  const printed = kernel.client.nextPublished(({ content }) => content["text"] === "begun\n");
  const cell = kernel.client.execute(code).then(({ reply }) => ended.push(String(reply["status"])));
  await printed;
  await body();
  expect(ended).toEqual([]);
  await kernel.client.request("interrupt_request", {}, "control");
  await cell;
}

describe("while a cell loops without an await", () => {
  const LOOP = 'console.log("begun"); for (;;) {}';

  it("completion and inspection answer; live values say that the session is busy", async () => {
    await during(LOOP, async () => {
      expect((await ask("complete_request", "weights.matm"))["matches"]).toEqual(["matmul"]);
      expect((await ask("complete_request", "%che"))["matches"]).toEqual(["%check"]);
      expect((await ask("complete_request", "anything."))["matches"]).toEqual([]);
      expect(plain(await ask("inspect_request", "weights"))).toBe(
        `${BUSY}\n\nconst weights: Tensor<[2, 3], "float32">`,
      );
      expect(plain(await ask("inspect_request", "weights.add("))).toMatch(/^add\(other: Tensor \| Scalar/);
    });
    await expect
      .poll(async () => plain(await ask("inspect_request", "weights")))
      .toBe('Tensor [2, 3] float32 on cpu, 24 bytes\n\nconst weights: Tensor<[2, 3], "float32">');
  });
});

describe("while a cell awaits", () => {
  it("live values are told too", async () => {
    await during('console.log("begun"); await new Promise(() => {});', async () => {
      // On a busy machine an answer may come too late to be waited for; the next one does not.
      await expect
        .poll(async () => plain(await ask("inspect_request", "weights")))
        .toMatch(/^Tensor \[2, 3\]/);
      await expect
        .poll(async () => (await ask("complete_request", "anything."))["matches"])
        .toEqual(["alpha"]);
    });
  });
});
