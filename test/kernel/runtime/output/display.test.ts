// How values show themselves, and the functions that every notebook has.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { invalidity } from "../../../../kernel/cli/notebook/schema.ts";
import { Notebook } from "../../session/notebook.ts";

let notebook: Notebook;
beforeAll(() => {
  notebook = new Notebook();
});
afterAll(() => notebook.close());

describe("a value", () => {
  it.each([
    [
      "by its Jupyter.display method",
      '({ [Symbol.for("Jupyter.display")]() { return { "text/html": "<b>1</b>" }; } })',
    ],
    [
      "by a method that answers later",
      '({ async [Symbol.for("Jupyter.display")]() { return { "text/html": "<b>1</b>" }; } })',
    ],
  ])("shows itself %s, as a result and through display()", async (_name, value) => {
    await notebook.run(value);
    const result = notebook.messages.findLast((message) => message.type === "result");
    expect(result?.data).toEqual({ "text/html": "<b>1</b>" });
    const { displays } = await notebook.run(`display(${value.slice(1, -1)});`);
    expect(displays.map(({ data }) => data)).toEqual([{ "text/html": "<b>1</b>" }]);
  });

  it("that is an array of records shows itself as a table too, as a result and through display()", async () => {
    const records = '[{ name: "a<b", age: 36 }, { name: "Bob", age: null }]';
    await notebook.run(records);
    const result = notebook.messages.findLast((message) => message.type === "result");
    const { displays } = await notebook.run(`display(${records});`);
    for (const data of [result?.data, displays[0]?.data]) {
      expect(data?.["text/plain"]).toBe("[ { name: 'a<b', age: 36 }, { name: 'Bob', age: null } ]");
      expect(data?.["text/html"]).toMatch(/>2 records<.*<table.*>a&lt;b<.*>36<.*>Bob<.*>null</s);
    }
  });

  it("that is an object of many keys is written with its first thousand", async () => {
    await notebook.run("Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => ['w' + i, i]))");
    const result = notebook.messages.findLast((message) => message.type === "result");
    const lines = String(result?.data["text/plain"]).split("\n");
    expect([...lines.slice(0, 2), ...lines.slice(-3)]).toEqual([
      "{",
      "  w0: 0,",
      "  w999: 999,",
      "  ... 49000 more keys",
      "}",
    ]);
  });

  it("whose display method fails is an error of the cell", async () => {
    const { done } = await notebook.run(
      '({ [Symbol.for("Jupyter.display")]() { throw new RangeError("no picture"); } })',
    );
    expect(done.error).toMatchObject({ ename: "RangeError", evalue: "no picture" });
  });

  it("whose display method returns no bundle is a TypeError that says what a bundle is", async () => {
    const { done } = await notebook.run('({ [Symbol.for("Jupyter.display")]() { return "text"; } })');
    expect(done.error).toMatchObject({
      ename: "TypeError",
      evalue: `'text' is not a MIME bundle: return an object such as { "text/html": "<b>hi</b>" }.`,
    });
  });
});

describe("a proxy shows what it stands for, as Node does, and no trap of it runs:", () => {
  const traps = `const traps = new Proxy({}, { get: (_, name) => () => { throw new Error("trap " + String(name)); } });`;
  it.each([
    ["one whose every trap throws", "new Proxy({ a: 1 }, traps)", "{ a: 1 }"],
    ["one that has an answer to every name", "new Proxy({}, { get: (_, __, self) => self })", "{}"],
    [
      "one that is a function, and answers calls too",
      "new Proxy(function remote() {}, { get: (_, __, self) => self, apply: (_, self) => self })",
      "[Function: remote]",
    ],
    [
      "one that was revoked",
      "(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; })()",
      "<Revoked Proxy>",
    ],
    ["one of a list", "new Proxy([1, 2], traps)", "[ 1, 2 ]"],
  ])("%s", async (_name, value, text) => {
    await notebook.run(traps);
    expect((await notebook.run(`(${value})`)).text).toBe(text);
    const run = await notebook.run(`{ const shown = ${value}; display(shown); console.log([shown]); }`);
    expect(run.displays.map(({ data }) => data)).toEqual([{ "text/plain": text }]);
    // oxlint-disable-next-line no-control-regex -- the colours of objects
    expect(run.stdout.replace(/\x1b\[\d+m/g, "").trimEnd()).toBe(`[ ${text} ]`);
  });

  it("one of a value that shows itself", async () => {
    const { done, text } = await notebook.run(
      'new Proxy({ [Symbol.for("Jupyter.display")]() { return { "text/plain": "itself" }; } }, { has: () => { throw new Error("no"); } })',
    );
    expect(done.error).toBeUndefined();
    expect(text).toBe("itself");
  });
});

describe("a canvas", () => {
  const png = "new Uint8Array([0x89, 0x50, 0x4e, 0x47])";
  it.each([
    ["draws at once", `toBuffer: () => ${png}`],
    ["draws later", `toBuffer: async () => ${png}`],
    ["has a URL", 'toDataURL: () => "data:image/png;base64,iVBORw=="'],
  ])("that %s shows its picture", async (_name, method) => {
    await notebook.run(`({ width: 20, height: 10, getContext() {}, ${method} })`);
    const result = notebook.messages.findLast((message) => message.type === "result");
    expect(result?.data).toEqual({ "image/png": "iVBORw==", "text/plain": "Canvas 20 × 10" });
  });

  it("of no size is an object", async () => {
    expect((await notebook.run("({ width: 0, height: 0, getContext: null })")).text).toBe(
      "{ width: 0, height: 0, getContext: null }",
    );
  });
});

describe("what a bundle holds", () => {
  it.each([
    ["a number", "5", "5"],
    ["lines", '["a\\n", "b"]', "a\nb"],
    ["a text that is an object", 'new String("a")', "a"],
    ["bytes", 'new TextEncoder().encode("é")', "é"],
  ])("becomes text: %s", async (_name, value, text) => {
    const { displays } = await notebook.run(`display({ "text/html": ${value} });`);
    expect(displays.map(({ data }) => data)).toEqual([{ "text/html": text }]);
  });

  it.each([
    ["null", '"text/html": null', "text/html holds text, not null: leave the type out."],
    [
      "an object",
      '"text/html": { a: 1 }',
      "text/html holds text, not { a: 1 }: give it a string, or JSON.stringify of the value; application/json holds JSON.",
    ],
    [
      "a blob",
      '"image/png": new Blob(["x"])',
      "image/png holds text, not Blob { size: 1, type: '' }: give it new Uint8Array(await blob.arrayBuffer()).",
    ],
    [
      "a promise",
      '"text/html": Promise.resolve("x")',
      "text/html holds text, not Promise { 'x' }: await it first.",
    ],
  ])("is refused by its type: %s", async (_name, entry, message) => {
    expect((await notebook.run(`display({ ${entry} });`)).done.error?.evalue).toBe(message);
  });

  it("is valid in a notebook's file, by nbformat's schema, whatever it was", async () => {
    const values = [
      "5",
      "true",
      "null",
      "undefined",
      '["a"]',
      "[1]",
      '"x"',
      "{}",
      'new Blob(["x"])',
      "new ArrayBuffer(2)",
      "1n",
      "new Date(0)",
    ];
    const types = ["text/html", "image/png", "application/json", "application/vnd.x+json", "application/x"];
    const outputs: object[] = [];
    const shown = `for (const value of [${values.join(", ")}]) for (const type of ${JSON.stringify(types)})
      try { display({ [type]: value }, { metadata: { [type]: { width: 3 } } }); } catch (error) { if (!(error instanceof TypeError)) throw error; }`;
    const { displays, done } = await notebook.run(shown);
    expect(done.error).toBeUndefined();
    for (const { data, metadata } of displays) outputs.push({ output_type: "display_data", data, metadata });
    expect(outputs.length).toBeGreaterThan(20);
    const cell = { cell_type: "code", id: "a", source: "", metadata: {}, execution_count: 1, outputs };
    expect(invalidity({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] }, 5)).toBeNull();
  });
});

describe("display()", () => {
  it("passes metadata on, as the width of a picture", async () => {
    const { displays } = await notebook.run(
      'display({ "image/png": "iVBORw==" }, { metadata: { "image/png": { width: 30 } } });',
    );
    expect(displays.map(({ metadata }) => metadata)).toEqual([{ "image/png": { width: 30 } }]);
    expect((await notebook.run('display("x", { metadata: "wide" });')).done.error?.evalue).toBe(
      `metadata is an object by MIME type, as { "image/png": { width: 300 } }, not 'wide'.`,
    );
  });

  it("shows a bundle as it is, binary data as base64, and anything else as text", async () => {
    const { displays } = await notebook.run(`
      display({ "text/html": "<i>x</i>", "image/png": new Uint8Array([137, 80, 78, 71]) });
      display({ loss: 0.5 }); display("plain");`);
    expect(displays.map(({ data }) => data)).toEqual([
      { "text/html": "<i>x</i>", "image/png": "iVBORw==" },
      { "text/plain": "{ loss: 0.5 }" },
      { "text/plain": "'plain'" },
    ]);
  });

  it("returns a handle that replaces what was shown, also from a later cell", async () => {
    const first = await notebook.run(
      'const shown = display("waiting", { displayId: "status" }); shown.update("half");',
    );
    const second = await notebook.run('shown.update({ "text/html": "<b>done</b>" });');
    const told = [...first.displays, ...second.displays].map(({ displayId, update, data }) => [
      displayId,
      update,
      data,
    ]);
    expect(told).toEqual([
      ["status", false, { "text/plain": "'waiting'" }],
      ["status", true, { "text/plain": "'half'" }],
      ["status", true, { "text/html": "<b>done</b>" }],
    ]);
  });

  it("with the id of an earlier call replaces in place what that showed", async () => {
    const { displays } = await notebook.run(
      'for (const share of ["0%", "50%", "100%"]) display(share, { displayId: "share" });',
    );
    expect(displays.map(({ displayId, update }) => [displayId, update])).toEqual([
      ["share", false],
      ["share", true],
      ["share", true],
    ]);
  });

  it("with an id that another cell showed, or an earlier run of this one, shows the value here too", async () => {
    const cell = 'display("seen", { displayId: "twice" });';
    for (const text of [cell, cell]) {
      const { displays } = await notebook.run(text);
      expect(displays.map(({ update }) => update)).toEqual([false]);
    }
  });

  it("shows the value anew once the output was cleared", async () => {
    const { order, displays } = await notebook.run(`
      display("one", { displayId: "cleared" }); clearOutput(); display("two", { displayId: "cleared" });`);
    expect(order).toEqual(["display", "clear", "display"]);
    expect(displays.map(({ update }) => update)).toEqual([false, false]);
  });

  it("refuses an id that is no name", async () => {
    const { done } = await notebook.run('display("x", { displayId: "" });');
    expect(done.error?.evalue).toBe(`display: displayId must be a name, as "loss", got ''.`);
  });

  it("has its counterpart in torch.showImages", async () => {
    const { displays } = await notebook.run(`
      import { torch } from "mpslab";
      for (const grey of [0, 1]) torch.showImages(torch.full([1, 2, 2], grey, { dtype: "float32" }), { displayId: "grey" });`);
    expect(displays.map(({ displayId, update }) => [displayId, update])).toEqual([
      ["grey", false],
      ["grey", true],
    ]);
  });

  it("may be a class, which shows itself by a static method", async () => {
    const { text } = await notebook.run(
      'class Palette { static [Symbol.for("Jupyter.display")]() { return { "text/plain": "red, green" }; } } (Palette)',
    );
    expect(text).toBe("red, green");
  });

  it("refuses what JSON cannot carry with an error of the cell", async () => {
    const { done } = await notebook.run('display({ "application/json": { big: 1n } });');
    expect(done.error?.ename).toBe("TypeError");
    expect((await notebook.run("1")).text).toBe("1");
  });
});

it("clearOutput() is told in its order", async () => {
  const { order } = await notebook.run(
    'console.log("old"); clearOutput({ wait: true }); console.log("new");',
  );
  expect(order).toEqual(["stdout", "clear", "stdout"]);
});

describe("prompt() and confirm()", () => {
  it("block until the answer is there", async () => {
    notebook.answer = (question) => (question === "Name? " ? "Ada" : "yes");
    const { text } = await notebook.run('[prompt("Name? "), confirm("Sure?")]');
    expect(text).toBe("[ 'Ada', true ]");
  });

  it("ask for passwords as such", async () => {
    notebook.answer = () => "secret";
    const { done } = await notebook.run('prompt("Password: ", { password: true });');
    expect(notebook.messages).toContainEqual({
      type: "inputRequest",
      cell: done.cell,
      prompt: "Password: ",
      password: true,
    });
  });

  it("fail where nobody can be asked", async () => {
    notebook.answer = () => null;
    const { done } = await notebook.run('prompt("Name? ")');
    expect(done.error?.evalue).toBe("This front end takes no input: pass the value in the cell instead.");
  });

  it("can be interrupted", async () => {
    notebook.answer = () => {
      notebook.interrupt();
      return "";
    };
    const silent = new Notebook();
    const { cell, end } = silent.start('prompt("Waiting")');
    silent.session.send = () => {};
    await silent.message((message) => message.type === "inputRequest" && message.cell === cell);
    silent.interrupt();
    expect((await end).done.error?.ename).toBe("KeyboardInterrupt");
    await silent.close();
  });
});

describe("charts of an epoch loop", () => {
  it("are displays of their cell, shown before it is done", async () => {
    const { displays, order } = await notebook.run(`
      import { torch } from "mpslab";
      for (let epoch = 0; epoch < 3; epoch++) { torch.ones([1000]).sum().item(); }
      "after"`);
    expect(order.at(-1)).toBe("display");
    expect(displays.some(({ data }) => "application/vnd.vegalite.v5+json" in data)).toBe(true);
    expect(displays.some(({ data }) => "image/png" in data)).toBe(true);
  });
});
