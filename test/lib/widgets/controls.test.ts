// The slider and the button as a cell uses them; how they look and feel in a page is tested in test/browser.
import { beforeEach, describe, expect, it } from "vitest";
import { deliverComms } from "../../../lib/comms/comms.ts";
import { button } from "../../../lib/widgets/button.ts";
import { slider } from "../../../lib/widgets/slider.ts";
import { inspect } from "node:util";
import { ScriptedPage } from "../comms/scripted_page.ts";

let page: ScriptedPage;
beforeEach(() => {
  page = new ScriptedPage();
});

function update(state: object): void {
  page.say({ action: "message", comm: page.sent[0]!.comm, data: { method: "update", state } });
}

const lastSent = () => page.sent.at(-1)!.data["state"];

describe("slider", () => {
  it("begins at its least value, with a hundred steps", () => {
    expect(inspect(slider())).toBe("Slider(value: 0, label: '', min: 0, max: 1, step: 0.01, log: false)");
  });

  it("with a logarithmic scale has a hundred steps of the logarithm", () => {
    const rate = slider({ label: "learning rate", min: 1e-5, max: 1, value: 1e-3, log: true });
    expect(rate.get("step")).toBeCloseTo(0.05, 12);
    expect(rate.value).toBe(0.001);
  });

  it("moves in a loop that never yields", () => {
    const rate = slider({ value: 0.5 });
    update({ value: 0.75 });
    while (rate.value === 0.5);
    expect(rate.value).toBe(0.75);
  });

  it.each([
    ["a text", "0.3"],
    ["null", null],
    ["too much", 1.5],
    ["a list", [0.3]],
  ])("refuses %s from the page, and tells it so", (_name, value) => {
    const rate = slider({ value: 0.5 });
    update({ value });
    expect(rate.value).toBe(0.5);
    expect(lastSent()).toEqual({ value: 0.5 });
  });

  it("goes where the cell puts it", () => {
    const rate = slider();
    rate.value = 0.3;
    expect(lastSent()).toEqual({ value: 0.3 });
  });

  it.each<[string, () => unknown, string]>([
    ["an empty range", () => slider({ min: 1, max: 1 }), "A slider goes from min to max, not from 1 to 1."],
    ["a reversed range", () => slider({ min: 2, max: 1 }), "A slider goes from min to max, not from 2 to 1."],
    ["NaN", () => slider({ max: NaN }), "max of a slider is NaN: give a number."],
    ["an endless range", () => slider({ max: Infinity }), "max of a slider is Infinity: give a number."],
    ["a text", () => slider({ value: "1" as unknown as number }), "value of a slider is '1': give a number."],
    ["a logarithm of 0", () => slider({ log: true }), "A logarithmic slider begins above 0, not at 0."],
    ["no step", () => slider({ step: 0 }), "The step of a slider is above 0, not 0."],
    ["a value outside", () => slider({ value: 2 }), "2 is not on a slider that goes from 0 to 1."],
    ["a value outside, set", () => (slider().value = -1), "-1 is not on a slider that goes from 0 to 1."],
    ["NaN, set", () => (slider().value = NaN), "NaN is not on a slider that goes from 0 to 1."],
  ])("%s is a RangeError", (_name, misuse, sentence) => {
    expect(misuse).toThrow(new RangeError(sentence));
  });
});

describe("button", () => {
  it("is pressed when a loop that never yields asks, until it is reset", () => {
    const stop = button({ label: "Stop" });
    expect(stop.pressed).toBe(false);
    update({ presses: 1 });
    while (!stop.pressed);
    expect(stop.presses).toBe(1);
    stop.reset();
    expect(stop.pressed).toBe(false);
    expect(lastSent()).toEqual({ presses: 0 });
  });

  it("calls its handler once for each press", () => {
    const more = button();
    let calls = 0;
    const remove = more.onPress(() => calls++);
    update({ presses: 1 });
    update({ presses: 3 });
    deliverComms();
    expect(calls).toBe(3);
    remove();
    update({ presses: 4 });
    deliverComms();
    expect(calls).toBe(3);
  });

  it.each([[-1], [0.5], ["1"], [null]])("refuses %j presses from the page", (presses) => {
    const stop = button();
    update({ presses });
    expect(stop.presses).toBe(0);
  });

  it.each<[string, () => unknown, string]>([
    [
      "a label that is no text",
      () => button({ label: 1 as unknown as string }),
      "The label of a button is a text, not 1.",
    ],
    [
      "no handler",
      () => button().onPress(1 as unknown as () => void),
      "button.onPress takes a function, not 1.",
    ],
  ])("%s is a TypeError", (_name, misuse, sentence) => {
    expect(misuse).toThrow(new TypeError(sentence));
  });
});
