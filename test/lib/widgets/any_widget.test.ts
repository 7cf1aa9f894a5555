// A widget and its page: the protocol's messages, exactly, and what the cell sees of them.
import { inspect } from "node:util";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { deliverComms } from "../../../lib/comms/comms.ts";
import { cellEnded } from "../../../lib/session.ts";
import { AnyWidget } from "../../../lib/widgets/any_widget.ts";
import { ScriptedPage } from "../comms/scripted_page.ts";

const ESM = "export default { render() {} };";
const VIEW = "application/vnd.jupyter.widget-view+json";

let page: ScriptedPage;
beforeEach(() => {
  page = new ScriptedPage();
});

/** The page's message about the widget that was made last. */
function update(state: object, buffer_paths: unknown = [], buffers: readonly Uint8Array[] = []): void {
  const comm = page.sent.find(({ action }) => action === "open")!.comm;
  page.say({ action: "message", comm, data: { method: "update", state, buffer_paths }, buffers });
}

const sentUpdates = () => page.sent.filter(({ action }) => action === "message").map(({ data }) => data);

it("opens a comm with anywidget's model and its own state", () => {
  const widget = new AnyWidget({ esm: ESM, css: "p {}", state: { count: 1, raw: new Uint8Array([7]) } });
  expect(page.sent).toMatchObject([
    {
      action: "open",
      target: "jupyter.widget",
      metadata: { version: "2.1.0" },
      data: {
        state: {
          _model_module: "anywidget",
          _model_name: "AnyModel",
          _model_module_version: "~0.11.*",
          _view_module: "anywidget",
          _view_name: "AnyView",
          _esm: ESM,
          _css: "p {}",
          count: 1,
        },
        buffer_paths: [["raw"]],
      },
      buffers: [new Uint8Array([7])],
    },
  ]);
  const bundle =
    widget[Symbol.for("Jupyter.display") as unknown as typeof import("../../../lib/display.ts").DISPLAY]();
  expect(bundle).toEqual({
    [VIEW]: { version_major: 2, version_minor: 0, model_id: page.sent[0]!.comm },
    "text/plain": "AnyWidget(count: 1, raw: Uint8Array(1) [ 7 ])",
  });
});

describe("what the page changes", () => {
  it("is there when the cell asks; handlers hear of it once, later, with the value before", async () => {
    const widget = new AnyWidget({ esm: ESM, state: { lr: 0.1, label: "x" } });
    const heard: unknown[] = [];
    widget.on("change:lr", (lr, before) => heard.push([lr, before]));
    widget.on("change", (changes) => heard.push(changes));
    update({ lr: 0.2 });
    update({ lr: 0.3, label: "y" });
    expect(widget.get("lr")).toBe(0.3);
    expect(heard).toEqual([]);
    await Promise.resolve();
    expect(heard).toEqual([[0.3, 0.1], { lr: 0.3, label: "y" }]);
  });

  it("and changes back before a handler runs is no change", () => {
    const widget = new AnyWidget({ esm: ESM, state: { on: false } });
    const heard: unknown[] = [];
    widget.on("change", (changes) => heard.push(changes));
    update({ on: true });
    update({ on: false });
    deliverComms();
    expect(heard).toEqual([]);
  });

  it("is not sent back to it", () => {
    const widget = new AnyWidget({ esm: ESM, state: { lr: 0.1 } });
    update({ lr: 0.2 });
    expect(widget.get("lr")).toBe(0.2);
    expect(sentUpdates()).toEqual([]);
  });

  it("and the widget does not have is left out, with no way to the prototype", () => {
    const widget = new AnyWidget({ esm: ESM, state: { list: [] as unknown[] } });
    update(
      JSON.parse('{ "__proto__": { "polluted": 1 }, "other": 1 }'),
      [
        ["__proto__", "polluted"],
        ["constructor", "x"],
      ],
      [new Uint8Array(1), new Uint8Array(1)],
    );
    expect(widget.get("list")).toEqual([]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect((Object as unknown as Record<string, unknown>)["x"]).toBeUndefined();
  });

  it.each([
    ["no list", 7],
    ["a list of no lists", [7, null]],
    ["a path that leads nowhere", [["deep", "er", 1]]],
    ["more paths than buffers", [["raw"], ["raw"], ["raw"]]],
    ["an empty path", [[]]],
  ])("with buffer_paths that are %s does no harm", (_name, paths) => {
    const widget = new AnyWidget({ esm: ESM, state: { raw: new Uint8Array(1), deep: {} } });
    update({ deep: { a: 1 } }, paths, [new Uint8Array([4])]);
    expect(widget.get("deep")).toEqual({ a: 1 });
  });

  it("and is not accepted is undone in the page", () => {
    const widget = new AnyWidget({
      esm: ESM,
      state: { lr: 0.1, name: "a" },
      accepts: { lr: (value) => typeof value === "number" },
    });
    update({ lr: "fast", name: "b" });
    expect([widget.get("lr"), widget.get("name")]).toEqual([0.1, "b"]);
    expect(sentUpdates()).toEqual([{ method: "update", state: { lr: 0.1 }, buffer_paths: [] }]);
  });

  it("as bytes, deep in the state, comes whole", () => {
    const widget = new AnyWidget({ esm: ESM, state: { layers: [] as unknown[] } });
    update(
      { layers: [{ name: "a" }, null] },
      [
        ["layers", 0, "data"],
        ["layers", 1],
      ],
      [new Uint8Array([1, 2]), new Uint8Array([3])],
    );
    expect(widget.get("layers")).toEqual([{ name: "a", data: new Uint8Array([1, 2]) }, new Uint8Array([3])]);
  });
});

describe("what the cell sets", () => {
  it("is sent, what stays the same is not", () => {
    const widget = new AnyWidget({ esm: ESM, state: { lr: 0.1, label: "x" } });
    widget.set("lr", 0.1);
    widget.set({ lr: 0.2, label: "x" });
    expect(sentUpdates()).toEqual([{ method: "update", state: { lr: 0.2 }, buffer_paths: [] }]);
    expect(widget.get("lr")).toBe(0.2);
  });

  it("a thousand times in a loop is sent a few times, the last value at the cell's end", () => {
    vi.useFakeTimers();
    try {
      const widget = new AnyWidget({ esm: ESM, state: { step: -1 } });
      for (let step = 0; step < 1000; step++) widget.set("step", step);
      expect(sentUpdates()).toEqual([{ method: "update", state: { step: 0 }, buffer_paths: [] }]);
      cellEnded();
      expect(sentUpdates().at(-1)).toEqual({ method: "update", state: { step: 999 }, buffer_paths: [] });
      widget.set("step", 1000);
      vi.advanceTimersByTime(40);
      expect(sentUpdates().at(-1)).toEqual({ method: "update", state: { step: 1000 }, buffer_paths: [] });
    } finally {
      vi.useRealTimers();
    }
  });

  it("goes before a message that is sent after it", () => {
    const widget = new AnyWidget({ esm: ESM, state: { step: 0 } });
    widget.set("step", 1);
    widget.set("step", 2);
    widget.send({ redraw: true }, [new Uint8Array([1])]);
    expect(sentUpdates()).toEqual([
      { method: "update", state: { step: 1 }, buffer_paths: [] },
      { method: "update", state: { step: 2 }, buffer_paths: [] },
      { method: "custom", content: { redraw: true } },
    ]);
    expect(page.sent.at(-1)!.buffers).toEqual([new Uint8Array([1])]);
  });

  it("is told to handlers too, as a change of the page is", async () => {
    const widget = new AnyWidget({ esm: ESM, state: { lr: 0.1 } });
    const heard: unknown[] = [];
    const remove = widget.on("change:lr", (lr) => heard.push(lr));
    widget.set("lr", 0.2);
    expect(heard).toEqual([]);
    await Promise.resolve();
    remove();
    widget.set("lr", 0.3);
    await Promise.resolve();
    expect(heard).toEqual([0.2]);
  });
});

it("messages of the page go to their handlers, bytes included", () => {
  const widget = new AnyWidget({ esm: ESM, state: {} });
  const heard: unknown[] = [];
  widget.onMessage((content, buffers) => heard.push([content, buffers]));
  const bytes = [new Uint8Array([1])];
  page.say({
    action: "message",
    comm: page.sent[0]!.comm,
    data: { method: "custom", content: "hi" },
    buffers: bytes,
  });
  page.say({ action: "message", comm: page.sent[0]!.comm, data: { method: "unheard of" } });
  deliverComms();
  expect(heard).toEqual([["hi", bytes]]);
});

it("a closed widget shows as text, and a loop that still sets it goes on", () => {
  const widget = new AnyWidget({ esm: ESM, state: { step: 0 } });
  widget.close();
  widget.set("step", 1);
  expect(page.sent.map(({ action }) => action)).toEqual(["open", "close"]);
  expect(inspect(widget)).toBe("AnyWidget(step: 1)");
});

// oxlint-disable-next-line typescript/no-explicit-any -- misuse, as JavaScript allows it
const wrong = (value: unknown): any => value;
const widgetOf = (state: object = { step: 0 }) =>
  new AnyWidget({ esm: ESM, state }) as AnyWidget<Record<string, unknown>>;
const cycle: Record<string, unknown> = {};
cycle["again"] = { cycle };

it.each<[string, () => unknown, string]>([
  ["no esm", () => new AnyWidget({ esm: " ", state: {} }), "A widget needs esm, the text of an ES module"],
  [
    "a css that is no text",
    () => new AnyWidget({ esm: ESM, css: wrong(1), state: {} }),
    "A widget needs esm",
  ],
  [
    "no state",
    () => new AnyWidget({ esm: ESM, state: wrong(undefined) }),
    "The state of a widget is an object such as { count: 0 }, not undefined.",
  ],
  [
    "a state that is a list",
    () => widgetOf([1]),
    "The state of a widget is an object such as { count: 0 }, not [ 1 ].",
  ],
  [
    "a name of the protocol",
    () => widgetOf({ _esm: "x" }),
    "state._esm: names with a leading underscore are the widget protocol's own.",
  ],
  [
    "a function in the state",
    () => widgetOf({ list: [1, { run: () => {} }] }),
    "state.list[1].run is a function, which JSON cannot hold: leave it out, or call it.",
  ],
  [
    "undefined in the state",
    () => widgetOf({ x: undefined }),
    "state.x is undefined: a widget's state holds what JSON holds, and bytes.",
  ],
  [
    "a bigint in the state",
    () => widgetOf().set("step", 1n),
    "state.step is a bigint, which JSON cannot hold: convert it with Number() or String().",
  ],
  [
    "a Map in the state",
    () => widgetOf({ m: new Map() }),
    "state.m is a Map, which JSON cannot hold: convert it with Object.fromEntries().",
  ],
  [
    "a cycle in the state",
    () => widgetOf(cycle),
    "state.again.cycle.again contains itself, which JSON cannot express: leave one of the two references out.",
  ],
  ["a handler that is none", () => widgetOf().on("change", wrong(1)), "widget.on takes a function, not 1."],
  [
    "a message handler that is none",
    () => widgetOf().onMessage(wrong(null)),
    "widget.onMessage takes a function, not null.",
  ],
])("%s: a TypeError that says so", (_name, misuse, sentence) => {
  expect(misuse).toThrow(TypeError);
  expect(misuse).toThrow(sentence);
});

it.each<[string, () => unknown, string]>([
  ["reading", () => widgetOf().get("speed"), "The widget has no attribute 'speed': it has step."],
  [
    "setting",
    () => widgetOf({}).set({ toString: 1 }),
    "The widget has no attribute 'toString': it has none.",
  ],
  [
    "watching",
    () => widgetOf().on("change:speed", () => {}),
    "The widget has no attribute 'speed': it has step.",
  ],
  [
    "another event",
    () => widgetOf().on(wrong("click"), () => {}),
    'There is no event \'click\': use "change", or "change:" and an attribute.',
  ],
])("%s what a widget does not have: a RangeError that lists what it has", (_name, misuse, sentence) => {
  expect(misuse).toThrow(new RangeError(sentence));
});

it("a refused value leaves the widget as it was", () => {
  const widget = widgetOf({ a: 1, b: 2 });
  expect(() => widget.set({ a: 5, b: () => {} })).toThrow(TypeError);
  expect([widget.get("a"), widget.get("b")]).toEqual([1, 2]);
  expect(sentUpdates()).toEqual([]);
});
