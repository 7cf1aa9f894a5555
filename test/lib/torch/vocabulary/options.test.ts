// Tables of options (lib/torch/vocabulary/options.ts): what a call gets where an option is given, left out or wrong.
import { describe, expect, it } from "vitest";
import { checkInteger } from "../../../../lib/torch/vocabulary/arguments.ts";
import {
  boolean,
  callback,
  checkedLater,
  choice,
  integer,
  nullable,
  optional,
  readOptions,
  sizes,
} from "../../../../lib/torch/vocabulary/options.ts";

const RULES = {
  steps: integer(5, 1),
  mode: choice("min", ["min", "max"]),
  show: boolean(true),
  stride: nullable(sizes(2, 1, 1)),
  padding: sizes(2, 0, 0),
  max: optional((call, name, value) => checkInteger(call, name, value, 1)),
  onEnd: callback<() => void>(),
  mask: checkedLater<readonly number[] | null>(null),
  memory: {
    fallback: 2 ** 30,
    check: (_call: string, _name: string, value: unknown) => Number(value) * 2 ** 30,
  },
};

const read = (given?: object) => readOptions("lab.try", given, RULES);

const DEFAULTS = {
  steps: 5,
  mode: "min",
  show: true,
  stride: null,
  padding: [0, 0],
  max: undefined,
  onEnd: undefined,
  mask: null,
  memory: 2 ** 30,
};

describe("readOptions", () => {
  it.each([[undefined], [{}], [{ steps: undefined, max: undefined }]])(
    "gives the defaults for %o",
    (given) => {
      expect(read(given)).toEqual(DEFAULTS);
    },
  );

  it("gives what is written, or what its rule reads it as", () => {
    const onEnd = () => {};
    const given = { steps: 2, stride: 3, padding: [1, 2], max: 4, onEnd, mask: [1], memory: "4" };
    expect(read(given)).toEqual({ ...DEFAULTS, ...given, stride: [3, 3], memory: 4 * 2 ** 30 });
  });

  it.each<[object, string]>([
    [{ step: 1 }, `lab.try: unknown option "step"; it takes ${Object.keys(RULES).join(", ")}.`],
    [[], "lab.try: the options must be an object like { steps: ... }, got []."],
    [{ steps: 0 }, "lab.try: steps must be an integer of at least 1, got 0."],
    [{ mode: "most" }, 'lab.try: mode must be one of "min", "max", got "most".'],
    [{ show: null }, "lab.try: show must be true or false, got null."],
    [{ padding: [1, -1] }, "lab.try: padding[1] must be an integer of at least 0, got -1."],
    [{ max: null }, "lab.try: max must be an integer, got null."],
    [{ onEnd: 1 }, "lab.try: onEnd must be a function, got 1."],
  ])("refuses %o", (given, message) => {
    expect(() => read(given)).toThrow(message);
  });

  it("shares no default that could be changed", () => {
    const { padding } = read();
    expect(() => (padding as number[]).push(1)).toThrow(TypeError);
  });
});
