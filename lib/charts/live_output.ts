// One output that is replaced while work goes on, at the pace of `chart_pace.ts`.
import { randomUUID } from "node:crypto";
import { type MimeBundle, metadataOf, type OutputSink } from "../display.ts";
import { warmUp } from "./render.ts";
import { ChartPace } from "./chart_pace.ts";

export class LiveOutput {
  readonly #sink: OutputSink;
  readonly #displayId = randomUUID();
  readonly #pace = new ChartPace();
  #isShown = false;
  #later: NodeJS.Timeout | undefined;

  constructor(sink: OutputSink) {
    this.#sink = sink;
  }

  /** Shows what `draw` returns: now if an update is due, else when one is, unless another update comes before. */
  update(draw: () => MimeBundle): void {
    clearTimeout(this.#later);
    const { leftMs } = this.#pace;
    if (leftMs > 0) {
      // A loop that does not wait keeps the timer from firing, and asks again itself.
      this.#later = setTimeout(() => this.update(draw), leftMs).unref();
      return;
    }
    warmUp();
    this.#pace.run(() => this.#show(draw()));
  }

  /** Shows a last bundle, for whose picture the cell's end waits. */
  finish(bundle: () => Promise<MimeBundle>): void {
    clearTimeout(this.#later);
    this.#sink.pending(bundle().then((data) => this.#show(data)));
  }

  #show(bundle: MimeBundle): void {
    const options = { displayId: this.#displayId, update: this.#isShown, metadata: metadataOf(bundle) };
    this.#sink.display(bundle, options);
    this.#isShown = true;
  }
}
