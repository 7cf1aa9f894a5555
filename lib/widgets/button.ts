// `button(...)`: a button that the user presses, for example to stop a training loop.
import { inspect } from "node:util";
import { AnyWidget } from "./any_widget.ts";
import { checkLabel, checkOptions } from "./options.ts";
import { CONTROL_CSS } from "./style.ts";

export interface ButtonOptions {
  /** The text on the button. Default: "Press". */
  readonly label?: string;
}

type ButtonState = { label: string; presses: number };

const ESM = `
export default {
  render({ model, el }) {
    const button = document.createElement("button");
    button.className = "mpslab-control";
    // JupyterLab also binds a command to Enter, which would run first.
    button.dataset.lmSuppressShortcuts = "true";
    const draw = () => (button.textContent = model.get("label"));
    button.addEventListener("click", () => {
      model.set("presses", model.get("presses") + 1);
      model.save_changes();
    });
    model.on("change:label", draw);
    draw();
    el.append(button);
  },
};
`;

/** A button below the cell, made by `button()`: it calls its listeners at each press. */
export class Button extends AnyWidget<ButtonState> {
  constructor(options: ButtonOptions = {}) {
    const { label = "Press" } = checkOptions<ButtonOptions>("button", options, ["label"]);
    checkLabel("button", label);
    const accepts = { presses: (given: unknown) => Number.isSafeInteger(given) && (given as number) >= 0 };
    super({ esm: ESM, css: CONTROL_CSS, state: { label, presses: 0 }, accepts });
  }

  /**
   * Whether it was pressed since it was made, or since the last `reset`. A loop that reads this sees a press at once.
   */
  get pressed(): boolean {
    return this.presses > 0;
  }

  /** How often it was pressed. */
  get presses(): number {
    return this.get("presses");
  }

  /** Sets the count of presses to 0. */
  reset(): void {
    this.set("presses", 0);
  }

  /** Calls `handler` once for each press. Returns a function that takes it away again. */
  onPress(handler: () => unknown): () => void {
    if (typeof handler !== "function") {
      throw new TypeError(`button.onPress takes a function, not ${inspect(handler, { depth: 0 })}.`);
    }
    return this.on("change:presses", (presses, before) => {
      for (let press = before; press < presses; press++) handler();
    });
  }
}

/**
 * A button. Show it as any value.
 *
 * @example
 * const stop = button({ label: "Stop" });
 * display(stop);
 * for (let step = 0; step < 1000 && !stop.pressed; step++) train();
 */
export function button(options?: ButtonOptions): Button {
  return new Button(options);
}
