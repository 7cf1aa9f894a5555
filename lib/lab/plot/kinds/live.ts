// `lab.plot.live`: lines that grow while a loop runs. The page gets the specification at most four times a second, and
// the picture when the cell ends.
import { inspect } from "node:util";
import { DISPLAY, type MimeBundle, type OutputSink, outputSink } from "../../../display.ts";
import { observeCells } from "../../../session.ts";
import type { Tensor } from "../../../torch/types/index.ts";
import { checkNumber, checkText, describe, isRecord } from "../../../torch/vocabulary/arguments.ts";
import { optional, readOptions } from "../../../torch/vocabulary/options.ts";
import { VEGA_LITE_MIME } from "../../../charts/chart_style.ts";
import { LiveOutput } from "../../../charts/live_output.ts";
import { FRAME, type FrameOptions } from "../frame_options.ts";
import { drawLines, type DrawnLines, SCALES } from "./lines.ts";
import { numberOf } from "../numbers.ts";
import type { Plot } from "../plot.ts";
import type { SeriesTable } from "../series.ts";

/** Options of `lab.plot.live`. */
export interface LiveOptions extends FrameOptions {
  /** The title of the x axis. Default: "step". */
  readonly x?: string;
  /** The title of the y axis. Default: "value", or the names of the lines. */
  readonly y?: string;
  /** The scale of the y axis; a logarithmic one leaves out values that are not positive. Default: "linear". */
  readonly yScale?: "linear" | "log";
}

type LiveNumber = number | bigint | Tensor;

const CALL = "lab.plot.live";

const RULES = {
  ...FRAME,
  x: optional(checkText),
  y: optional(checkText),
  yScale: SCALES.yScale,
} as const;

/** Charts with points that their output does not yet show with a picture. */
const unfinished = new Set<LiveLines>();

observeCells({
  cellEnded() {
    for (const chart of unfinished) chart.end();
  },
});

interface LiveSettings extends DrawnLines {
  readonly x: string | undefined;
  readonly y: string | undefined;
}

interface Line {
  readonly name: string | null;
  readonly x: number[];
  readonly y: number[];
}

/** Lines that are drawn while they grow. Made by `lab.plot.live`. */
class LiveLines {
  readonly #options: LiveSettings;
  readonly #lines = new Map<string | null, Line>();
  #sink: OutputSink | null = null;
  #output: LiveOutput | null = null;

  constructor(options: LiveSettings) {
    this.#options = options;
    Object.defineProperties(this, {
      [DISPLAY]: { value: () => this.#shown() },
      [inspect.custom]: {
        value: () => (this.#lines.size === 0 ? "a live chart without points" : inspect(this.plot)),
      },
    });
  }

  /**
   * Adds one point to the line, or to each line by its name: `chart.add({ train: 0.3, validation: 0.4 })`. A tensor of
   * one element is read, which waits for its device.
   *
   * @param step the position on the x axis. Default: how many points the line has.
   * @throws TypeError for a value that is not a number
   */
  add(values: LiveNumber | Readonly<Record<string, LiveNumber>>, step?: number): void {
    const call = `${CALL}: add`;
    const named: [string | null, unknown][] = isRecord(values) ? Object.entries(values) : [[null, values]];
    if (named.length === 0)
      throw new TypeError(`${call}: values is an empty object; name a number, as in { train: 0.3 }.`);
    if (this.#lines.size > 0 && this.#lines.has(null) !== (named[0]![0] === null))
      throw new TypeError(
        `${call}: values is ${describe(values)}, and the points before had ${this.#lines.has(null) ? "no name" : "names"}.`,
      );
    const points = named.map(([name, value]) => {
      const place = name === null ? "values" : `values.${name}`;
      if (value === null || value === undefined)
        throw new TypeError(`${call}: ${place} must be a number, got ${describe(value)}.`);
      return [name, numberOf(call, place, value)] as const;
    });
    if (step !== undefined) checkNumber(call, "step", step);
    for (const [name, value] of points) {
      const line = this.#lines.get(name) ?? { name, x: [], y: [] };
      this.#lines.set(name, line);
      line.x.push(step ?? line.x.length);
      line.y.push(value);
    }
    this.#update();
  }

  /** The chart as it is now, to change or to save. */
  get plot(): Plot {
    return drawLines(CALL, this.#table(), this.#options);
  }

  /**
   * Shows the chart with its picture or, outside of a notebook, prints its summary. This also happens at the end of the
   * cell.
   */
  end(): void {
    unfinished.delete(this);
    if (this.#output === null || !this.#isDrawable()) return;
    const { plot } = this;
    if (this.#sink!.live) this.#output.finish(() => bundleOf(plot));
    else this.#sink!.display({ "text/plain": inspect(plot) }, {});
  }

  #update(): void {
    unfinished.add(this);
    this.#sink ??= outputSink();
    this.#output ??= new LiveOutput(this.#sink);
    if (!this.#sink.live) return;
    this.#sink.holds(this);
    if (!this.#isDrawable()) return;
    this.#output.update(() => {
      const { plot } = this;
      return { [VEGA_LITE_MIME]: { ...plot }, "text/plain": inspect(plot) };
    });
  }

  #shown(): MimeBundle | Promise<MimeBundle> {
    return this.#isDrawable() ? bundleOf(this.plot) : { "text/plain": "a live chart without points" };
  }

  /** Null at first, because a loss may be NaN from its first step on. */
  #isDrawable(): boolean {
    const isLog = this.#options.yScale === "log";
    return [...this.#lines.values()].some(({ y }) =>
      y.some((value) => Number.isFinite(value) && (!isLog || value > 0)),
    );
  }

  #table(): SeriesTable {
    const { x, y } = this.#options;
    return {
      series: [...this.#lines.values()].map((line) => ({
        name: line.name,
        x: { kind: "quantitative", values: Float64Array.from(line.x) },
        y: Float64Array.from(line.y),
      })),
      x: x ?? "step",
      y: y ?? (this.#lines.has(null) ? "value" : null),
    };
  }
}

export type { LiveLines };

function bundleOf(plot: Plot): Promise<MimeBundle> {
  return (plot as unknown as { [DISPLAY](): Promise<MimeBundle> })[DISPLAY]();
}

/**
 * Draws lines while a loop runs: `const chart = lab.plot.live({ y: "loss" })`, then `chart.add(loss)` in each step. The
 * chart stands in the output of the cell that adds the first point.
 */
export function live(options?: LiveOptions): LiveLines {
  const read = readOptions(CALL, options, RULES);
  return new LiveLines({ ...read, xScale: "linear", xLimits: undefined, yLimits: undefined });
}
