// `slider(...)`: a number that the user drags and a loop reads.
import { inspect } from "node:util";
import { AnyWidget } from "./any_widget.ts";
import { checkLabel, checkOptions } from "./options.ts";
import { CONTROL_CSS } from "./style.ts";

export interface SliderOptions {
  /** The text before the slider. Default: nothing. */
  readonly label?: string;
  /** The least value. Default: 0. */
  readonly min?: number;
  /** The greatest value. Default: 1. */
  readonly max?: number;
  /**
   * The step between two values; on a logarithmic scale, between their decimal logarithms. Default: a hundredth of the
   * range.
   */
  readonly step?: number;
  /** The first value. Default: `min`. */
  readonly value?: number;
  /** A logarithmic scale, as for a learning rate. Default: false. */
  readonly log?: boolean;
}

type SliderState = {
  value: number;
  label: string;
  min: number;
  max: number;
  step: number;
  log: boolean;
};

const ESM = `
export default {
  render({ model, el }) {
    const get = (name) => model.get(name);
    const scale = (value) => (get("log") ? Math.log10(value) : value);
    // Rounds, because adding steps of a binary fraction leaves surplus digits: 0.30000000000000004.
    const unscale = (place) => Number((get("log") ? 10 ** place : place).toPrecision(get("log") ? 4 : 12));
    const within = (value) => Math.min(get("max"), Math.max(get("min"), value));
    const root = document.createElement("label");
    root.className = "mpslab-control";
    const name = document.createElement("span");
    const range = document.createElement("input");
    range.type = "range";
    // JupyterLab also binds commands to the arrow keys, which would run first.
    range.dataset.lmSuppressShortcuts = "true";
    const shown = document.createElement("output");
    root.append(name, range, shown);
    el.append(root);
    const draw = () => {
      name.textContent = get("label");
      range.min = scale(get("min"));
      range.max = scale(get("max"));
      range.step = get("step");
      range.value = scale(get("value"));
      shown.textContent = get("value");
    };
    range.addEventListener("input", () => {
      model.set("value", within(unscale(Number(range.value))));
      model.save_changes();
    });
    model.on("change", draw);
    draw();
  },
};
`;

/** A number that the reader drags, made by `slider()`; a loop reads `value` while it runs. */
export class Slider extends AnyWidget<SliderState> {
  /** @throws RangeError for a range or a value that makes no sense */
  constructor(options: SliderOptions = {}) {
    const known = ["label", "min", "max", "step", "value", "log"] as const;
    const {
      label = "",
      min = 0,
      max = 1,
      log = false,
      ...more
    } = checkOptions<SliderOptions>("slider", options, known);
    checkLabel("slider", label);
    if (typeof log !== "boolean")
      throw new TypeError(`log of a slider is true or false, not ${inspect(log)}.`);
    const { value = min } = more;
    const check = (name: string, number: number): void => {
      if (Number.isFinite(number)) return;
      throw new RangeError(`${name} of a slider is ${inspect(number)}: give a number.`);
    };
    check("min", min);
    check("max", max);
    check("value", value);
    if (min >= max) throw new RangeError(`A slider goes from min to max, not from ${min} to ${max}.`);
    if (log && min <= 0) throw new RangeError(`A logarithmic slider begins above 0, not at ${min}.`);
    if (!isWithin(value, min, max)) throw outside(value, min, max);
    const { step = (log ? Math.log10(max / min) : max - min) / 100 } = more;
    check("step", step);
    if (step <= 0) throw new RangeError(`The step of a slider is above 0, not ${step}.`);
    const accepts = { value: (given: unknown) => isWithin(given, min, max) };
    super({ esm: ESM, css: CONTROL_CSS, state: { value, label, min, max, step, log }, accepts });
  }

  /** The slider's present position. A loop that reads it sees changes while it runs. */
  get value(): number {
    return this.get("value");
  }

  /** @throws RangeError outside of the slider's range */
  set value(value: number) {
    const [min, max] = [this.get("min"), this.get("max")];
    if (!isWithin(value, min, max)) throw outside(value, min, max);
    this.set("value", value);
  }
}

/**
 * A slider. Show it as any value, read `slider.value` in the loop.
 *
 * @example
 * const rate = slider({ label: "learning rate", min: 1e-5, max: 1, value: 1e-3, log: true });
 */
export function slider(options?: SliderOptions): Slider {
  return new Slider(options);
}

function isWithin(value: unknown, min: number, max: number): boolean {
  return typeof value === "number" && value >= min && value <= max;
}

function outside(value: number, min: number, max: number): RangeError {
  return new RangeError(`${inspect(value)} is not on a slider that goes from ${min} to ${max}.`);
}
