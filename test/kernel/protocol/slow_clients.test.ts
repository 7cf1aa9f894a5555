// Clients that read slowly, or not at all, beside one that reads: in the real kernel, with much output.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Dealer, Subscriber } from "zeromq";
import { readConnection, type Connection } from "../../../kernel/protocol/connection.ts";
import { HANG_MS } from "../../helpers/hang.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";

let kernel: KernelProcess;
let connection: Connection;
beforeAll(async () => {
  kernel = await KernelProcess.start();
  connection = readConnection(kernel.connectionFile);
  await kernel.client.execute("1");
});
afterAll(() => kernel.stop());

const MEGABYTE = 1e6;
/** Resolves with the kernel's welcome read: what is published from now on reaches it. A message that is lost is an error. */
const subscribe = async (): Promise<Subscriber> => {
  const subscriber = new Subscriber({
    linger: 0,
    receiveHighWaterMark: 1,
    receiveBufferSize: 1 << 16,
    receiveTimeout: HANG_MS / 2,
  });
  subscriber.connect(connection.iopub);
  subscriber.subscribe();
  await subscriber.receive();
  return subscriber;
};
const megabytes = async (): Promise<number> => {
  const { content } = await kernel.client.request("usage_request", {}, "control");
  return Number(content["kernel_memory"]) / MEGABYTE;
};

it("50 MB of one output arrive whole", async () => {
  const { stdout, reply } = await kernel.client.execute('console.log("0123456789".repeat(5e6))');
  expect(reply["status"]).toBe("ok");
  expect(stdout.length).toBe(50e6 + 1);
});

it("a client that reads slowly makes the others wait, and nothing is lost", async () => {
  const slow = await subscribe();
  let displays = 0;
  const finished = (async () => {
    for await (const frames of slow) {
      const type = String(frames[0]);
      if (type.endsWith(".display_data") && ++displays % 50 === 0) await sleep(5);
      if (displays === 4000) return;
    }
  })();
  const execution = await kernel.client.execute(
    'for (let i = 0; i < 4000; i++) display({ "text/plain": `${i} ${"x".repeat(2000)}` });',
  );
  expect(execution.displays).toHaveLength(4000);
  await finished;
  slow.close();
});

it("a client that never reads is left behind: the others get their idle, and memory stays bounded", async () => {
  const before = await megabytes();
  const mute = await subscribe();
  const printing = 'for (let i = 0; i < 500; i++) process.stdout.write(`${"y".repeat(1e6 - 1)}\\n`);';
  const execution = kernel.client.execute(printing);
  const ended = execution.then(() => true);
  let max = before;
  while (!(await Promise.race([ended, sleep(200, false)]))) max = Math.max(max, await megabytes());
  const { reply } = await execution;
  expect(reply["status"]).toBe("ok");
  // 500 MB are printed. A thousand portions of 131 kB are held, 16 MB wait for them, and V8 collects garbage late: 250 MB.
  expect(max - before).toBeLessThan(350);
  expect((await kernel.client.execute("1 + 1")).result).toBe("2");
  mute.close();
});

it("a client that sends requests and reads no replies does not stop the others", async () => {
  const mute = new Dealer({ linger: 0, receiveHighWaterMark: 1, sendHighWaterMark: 0 });
  mute.connect(connection.shell);
  for (let i = 0; i < 3000; i++) {
    await mute.send(kernel.client.encode(kernel.client.newMessage("is_complete_request", { code: "1" })));
  }
  expect((await kernel.client.execute("2 + 2")).result).toBe("4");
  mute.close();
});
