// One output that is replaced while work goes on: at most four times a second, and more rarely where drawing is dear.
import { randomUUID } from "node:crypto";
import { type MimeBundle, metadataOf, type OutputSink } from "../../display.ts";
import { warmUp } from "./render.ts";

/** Every update makes the page build the chart anew. */
const UPDATE_INTERVAL_MS = 250;
/** Share of the time that updates may take: after two expensive ones, the next comes later. */
const UPDATE_SHARE = 0.02;

export class LiveOutput {
  readonly #sink: OutputSink;
  readonly #displayId = randomUUID();
  #isShown = false;
  #dueMs = 0;
  #tookMs = 0;
  #later: NodeJS.Timeout | undefined;

  constructor(sink: OutputSink) {
    this.#sink = sink;
  }

  /** Shows what `draw` returns: now if an update is due, else when one is, unless another update comes before. */
  update(draw: () => MimeBundle): void {
    clearTimeout(this.#later);
    const leftMs = this.#dueMs - performance.now();
    if (leftMs > 0) {
      // A loop that does not wait keeps the timer from firing, and asks again itself.
      this.#later = setTimeout(() => this.update(draw), leftMs).unref();
      return;
    }
    warmUp();
    const beganMs = performance.now();
    this.#show(draw());
    const endedMs = performance.now();
    const tookMs = endedMs - beganMs;
    // One long update says little: the first loads code, and a busy machine may pause any other.
    const costMs = Math.min(tookMs, this.#tookMs);
    this.#tookMs = tookMs;
    this.#dueMs = endedMs + Math.max(UPDATE_INTERVAL_MS, costMs / UPDATE_SHARE);
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
