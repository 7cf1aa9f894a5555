// An output that is replaced while work goes on, at the pace of `chart_pace.ts`.
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

  /**
   * Shows what `draw` returns: now if an update is due, otherwise when the next one is due, unless another call comes
   * before.
   */
  update(draw: () => MimeBundle): void {
    clearTimeout(this.#later);
    const { leftMs } = this.#pace;
    if (leftMs > 0) {
      // The timer cannot fire in a loop without an await; such a loop calls `update` again itself.
      this.#later = setTimeout(() => this.update(draw), leftMs).unref();
      return;
    }
    warmUp();
    this.#pace.run(() => this.#show(draw()));
  }

  /** Shows the final bundle. The end of the cell waits for its picture. */
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
