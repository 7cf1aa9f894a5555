// Completion, inspection and completeness as a client asks for them; the language server and the session are mocks.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startMockKernel, type MockKernel } from "../../helpers/mock_rooms.ts";

let kernel: MockKernel;
beforeEach(async () => {
  kernel = await startMockKernel();
});
afterEach(() => kernel.stop());

describe("an editor's questions", () => {
  it("completion: matches with the typed prefix, positions in code points", async () => {
    // 𝒳 is one code point and two UTF-16 units.
    const code = '"𝒳"; ten';
    kernel.language().completions = {
      start: 6,
      end: 9,
      items: [
        { text: "Tensor", kind: "class" },
        { text: "tensor", kind: "function", signature: "(data: number[])" },
        { text: "print", kind: "function" },
      ],
    };
    const { content } = await kernel.client.request("complete_request", { code, cursor_pos: 8 });
    expect(content).toEqual({
      status: "ok",
      matches: ["Tensor", "tensor"],
      cursor_start: 5,
      cursor_end: 8,
      metadata: {
        _jupyter_types_experimental: [
          { start: 5, end: 8, text: "Tensor", type: "class" },
          { start: 5, end: 8, text: "tensor", type: "function", signature: "(data: number[])" },
        ],
      },
    });
  });

  it("completion of an option is without live globals, which a value's place has", async () => {
    kernel.session.inspect = async () => ({ text: "", names: [{ text: "fetch", kind: "field" }] });
    const items = [{ text: "dtype", kind: "field" }];
    await kernel.client.request("complete_request", { code: "", cursor_pos: 0 });
    const matchesOf = async (inScope: boolean) => {
      kernel.language().completions = { start: 3, end: 3, items, inScope };
      const { content } = await kernel.client.request("complete_request", { code: "f({", cursor_pos: 3 });
      return content["matches"];
    };
    expect(await matchesOf(false)).toEqual(["dtype"]);
    expect(await matchesOf(true)).toEqual(["dtype", "fetch"]);
  });

  it("a cell that is a name with a question mark: inspection in a pager, and nothing runs", async () => {
    kernel.language().hovers.set(5, { markdown: "const losses: number[]", text: "const losses: number[]" });
    const { reply, messages } = await kernel.client.execute("losses?");
    expect(reply["payload"]).toEqual([
      {
        source: "page",
        data: { "text/plain": "const losses: number[]", "text/markdown": "const losses: number[]" },
        start: 0,
      },
    ]);
    expect(messages.map(({ header }) => header.msg_type)).toEqual(["status", "execute_input", "status"]);
    const unknown = await kernel.client.execute("?nothing");
    expect(unknown.reply["evalue"]).toBe("Nothing is known of nothing: no cell that ran has declared it.");
  });

  it("completion of a magic's file", async () => {
    const complete = async (code: string) => {
      const { content } = await kernel.client.request("complete_request", { code, cursor_pos: code.length });
      return [content["matches"], code.slice(Number(content["cursor_start"]))];
    };
    expect(await complete("%load vit")).toEqual([["vitest.config.ts"], "vit"]);
    expect(await complete("%%writefile noteb")).toEqual([["notebooks/"], "noteb"]);
    expect(await complete("%sh head kernel/cl")).toEqual([["cli.ts", "cli/"], "cl"]);
    expect(await complete("%%writefile -")).toEqual([["-a"], "-"]);
  });

  it("completion of a magic", async () => {
    const { content } = await kernel.client.request("complete_request", { code: "1\n%ch", cursor_pos: 5 });
    expect(content).toMatchObject({ matches: ["%check"], cursor_start: 2, cursor_end: 5 });
  });

  it.each([
    ["%c", ["%check", "%compiled"], 0],
    ["  %mem", ["%memory"], 2],
    ["%%t", ["%%time", "%%timeit"], 0],
    ["%timeit -", ["-n", "-r"], 8],
    ["%flush ", ["on", "off"], 7],
    ["%flush o", ["on", "off"], 7],
    ["%check of", ["off"], 7],
    ["%device  c", ["cpu", "cuda"], 9],
    ["%memory ", [], 8],
    ["%npm in", ["install"], 5],
    ["%npm install lo", [], 13],
    ["%snapshot ", ["auto", "off"], 10],
    ["%flush on o", [], 7],
    ["%unknown o", [], 9],
  ])(
    "completion in the magic line %j offers what may stand there, and no global",
    async (code, matches, start) => {
      kernel.language().completions = {
        start,
        end: code.length,
        items: [{ text: "open", kind: "function" }],
      };
      const { content } = await kernel.client.request("complete_request", { code, cursor_pos: code.length });
      expect(content).toMatchObject({ matches, cursor_start: start, cursor_end: code.length });
    },
  );

  it("completion of a remainder is TypeScript's", async () => {
    const code = "(a\n%flush o";
    kernel.language().completions = { start: 10, end: 11, items: [{ text: "open", kind: "function" }] };
    const { content } = await kernel.client.request("complete_request", { code, cursor_pos: code.length });
    expect(content["matches"]).toEqual(["open"]);
  });

  it("inspection: live value and type together", async () => {
    await kernel.client.execute("let loss = 1");
    kernel.language().hovers.set(8, { markdown: "`Tensor`", text: "Tensor" });
    kernel.session.values.set("loss.grad", "tensor(0.5)");
    const { content } = await kernel.client.request("inspect_request", { code: "loss.grad", cursor_pos: 9 });
    expect(content).toEqual({
      status: "ok",
      found: true,
      data: { "text/plain": "tensor(0.5)\n\nTensor", "text/markdown": "```\ntensor(0.5)\n```\n\n`Tensor`" },
      metadata: {},
    });
  });

  it("inspection of a value that the session cannot look at now says so beside the type, each time at once", async () => {
    await kernel.client.execute("let x = 1");
    kernel.language().hovers.set(0, { markdown: "`number`", text: "number" });
    let asked = 0;
    kernel.session.inspect = () => {
      asked++;
      return new Promise(() => {});
    };
    for (const _time of [1, 2, 3]) {
      const { content } = await kernel.client.request("inspect_request", { code: "x", cursor_pos: 0 });
      const busy = "The session is busy: the value can be looked at when the cell awaits or has ended.";
      expect(content["data"]).toEqual({
        "text/plain": `${busy}\n\nnumber`,
        "text/markdown": `*${busy}*\n\n\`number\``,
      });
    }
    expect(asked).toBe(1);
  });

  it("inspection inside the arguments of a call gives its signatures, else the function", async () => {
    const code = "add(f(1), ";
    kernel.language().hovers.set(2, { markdown: "`add`", text: "add" });
    const inspected = () => kernel.client.request("inspect_request", { code, cursor_pos: 10 });
    expect((await inspected()).content["data"]).toEqual({ "text/plain": "add", "text/markdown": "`add`" });
    kernel.language().signatures.set(10, { markdown: "`add(a, b)`", text: "add(a, b)" });
    expect((await inspected()).content["data"]).toMatchObject({ "text/plain": "add(a, b)" });
  });

  it("inspection with detail_level 1 adds the source", async () => {
    kernel.language().hovers.set(0, { markdown: "`add`", text: "add" });
    kernel.language().sources.set(0, "function add() {}");
    const inspected = async (detail_level: number) =>
      (await kernel.client.request("inspect_request", { code: "add", cursor_pos: 0, detail_level })).content[
        "data"
      ];
    expect(await inspected(0)).toMatchObject({ "text/plain": "add" });
    expect(await inspected(1)).toEqual({
      "text/plain": "add\n\nfunction add() {}",
      "text/markdown": "`add`\n\n**Source**\n\n```typescript\nfunction add() {}\n```",
    });
  });

  it.each([
    ["%check", 3],
    ["%check warn", 9],
    ["1\n%check", 4],
  ])("inspection of a magic gives its help: %j at %i", async (code, cursor_pos) => {
    const { content } = await kernel.client.request("inspect_request", { code, cursor_pos });
    expect(content["data"]).toMatchObject({
      "text/plain": expect.stringMatching(/^%check \[error \| warn \| off \| on\]\n/),
    });
  });

  it("inspection of nothing is found: false", async () => {
    const { content } = await kernel.client.request("inspect_request", { code: "  ", cursor_pos: 1 });
    expect(content).toEqual({ status: "ok", found: false, data: {}, metadata: {} });
  });

  it.each([
    ["1", { status: "complete" }],
    ["if (x) {", { status: "incomplete", indent: "  " }],
  ])("is_complete of %s", async (code, content) => {
    expect((await kernel.client.request("is_complete_request", { code })).content).toEqual(content);
  });
});
