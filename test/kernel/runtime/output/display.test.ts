// How values show themselves, and the functions that every notebook has.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

describe("display()", () => {
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
