// Questions of a running cell to the client that sent it, and which answers count. With mocks for the session.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Header } from "../../../kernel/protocol/messages.ts";
import { KernelClient } from "../../helpers/kernel_client.ts";
import { deferred, startMockKernel, type MockKernel } from "../../helpers/mock_rooms.ts";

let kernel: MockKernel;
beforeEach(async () => {
  kernel = await startMockKernel();
  kernel.session.scripts.set("prompt()", async ({ report, input, print }) => {
    print("asking\n");
    report("inputRequest", { prompt: "Name?", password: false });
    print(`got ${await input}\n`);
  });
});

afterEach(() => kernel.stop());

it("input is asked of whoever sent the cell, after the text before it, and answered", async () => {
  const question = kernel.client.nextMessage("stdin");
  const cell = kernel.client.execute("prompt()", { allow_stdin: true });
  const { header, content } = await question;
  expect(header.msg_type).toBe("input_request");
  expect(content).toEqual({ prompt: "Name?", password: false });
  await kernel.client.send("stdin", kernel.client.newMessage("input_reply", { value: "Ada" }));
  expect((await cell).stdout).toBe("asking\ngot Ada\n");
});

it("input is null when the client takes none", async () => {
  expect((await kernel.client.execute("prompt()", { allow_stdin: false })).stdout).toBe("asking\ngot null\n");
});

it("input is null after the cell's end: no client expects a question then", async () => {
  const { promise: ended, resolve: end } = deferred<void>();
  const { promise: answered, resolve: answer } = deferred<string | null>();
  kernel.session.scripts.set("later()", ({ report, input }) => {
    void ended.then(() => report("inputRequest", { prompt: "Now?", password: false }));
    void input.then(answer);
  });
  await kernel.client.execute("later()", { allow_stdin: true });
  end();
  expect(await answered).toBeNull();
});

it("input that nobody asked for is dropped", async () => {
  await kernel.client.send("stdin", kernel.client.newMessage("input_reply", { value: "stale" }));
  const question = kernel.client.nextMessage("stdin");
  const cell = kernel.client.execute("prompt()", { allow_stdin: true });
  await question;
  await kernel.client.send("stdin", kernel.client.newMessage("input_reply", { value: "fresh" }));
  expect((await cell).stdout).toBe("asking\ngot fresh\n");
});

it("input is taken from the client that was asked alone, and only as an answer to the question that waits", async () => {
  const other = await KernelClient.connect(kernel.connection);
  const first = kernel.client.nextMessage("stdin");
  const interrupted = kernel.client.execute("prompt()", { allow_stdin: true });
  const stale = await first;
  await kernel.client.send("stdin", kernel.client.newMessage("input_reply", { value: "first" }));
  await interrupted;

  const question = kernel.client.nextMessage("stdin");
  const cell = kernel.client.execute("prompt()", { allow_stdin: true });
  const { header } = await question;
  await other.send("stdin", other.newMessage("input_reply", { value: "of a stranger" }));
  await other.request("kernel_info_request");
  const answer = (parent_header: Header, value: string) =>
    kernel.client.send("stdin", {
      ...kernel.client.newMessage("input_reply", { value }),
      parent_header,
    });
  await answer(stale.header, "late");
  await answer(header, "right");
  expect((await cell).stdout).toBe("asking\ngot right\n");
  other.close();
});

it("each of two clients answers for its own cell", async () => {
  const other = await KernelClient.connect(kernel.connection);
  const answers = [kernel.client, other].map(async (client, index) => {
    const question = client.nextMessage("stdin");
    const cell = client.execute("prompt()", { allow_stdin: true });
    const { header } = await question;
    const reply = client.newMessage("input_reply", { value: `client ${index}` });
    await client.send("stdin", { ...reply, parent_header: header });
    return (await cell).stdout;
  });
  expect(await Promise.all(answers)).toEqual(["asking\ngot client 0\n", "asking\ngot client 1\n"]);
  other.close();
});
