// Sends the library's output, as MIME bundles, to an installed sink. The session's runtime installs its own sink
// under the kernel; a plain Node program prints bundles as text.

/** Data by MIME type: text, base64 text for binary types, JSON for `+json` types. */
export type MimeBundle = Readonly<Record<string, unknown>>;

/** A value with this method shows itself: it returns its MIME bundle. Deno's notebooks use the same symbol. */
export const DISPLAY = Symbol.for("Jupyter.display");

export interface Displayable {
  [DISPLAY](): MimeBundle | Promise<MimeBundle>;
}

const METADATA = Symbol.for("mpslab.metadata");

/** Gives a bundle its metadata by MIME type, for a value that shows itself: the size of a picture. */
export function withMetadata(bundle: MimeBundle, metadata: MimeBundle): MimeBundle {
  return Object.defineProperty({ ...bundle }, METADATA, { value: metadata });
}

/** The metadata that a bundle was given; most bundles have none. */
export function metadataOf(bundle: MimeBundle): MimeBundle {
  return (bundle as { readonly [METADATA]?: MimeBundle })[METADATA] ?? {};
}

export interface DisplayOptions {
  /** Names the output, so that a later call may replace it. Default: none. */
  readonly displayId?: string;
  /** Replaces the outputs of that id instead of adding one. Default: true if the running cell has shown that id. */
  readonly update?: boolean;
  /**
   * Only with a `displayId`: after `clearOutput` the output is shown again, above later ones. For output that no
   * statement of the cell made. Default: false.
   */
  readonly survivesClear?: boolean;
  /**
   * By MIME type: the size at which a picture of twice the pixels is shown, `{ "image/png": { width, height } }`.
   * Default: none.
   */
  readonly metadata?: MimeBundle;
}

export interface OutputSink {
  /** Whether an update replaces what was shown. If not, a chart prints only its final line, without pictures. */
  readonly live: boolean;
  /**
   * Whether one chart shows the epochs of several processes. Each process then sends its records, and draws nothing
   * itself.
   */
  readonly joinsRanks?: boolean;
  /** Shows a bundle in the output of the cell that is running (or that started the running callback). */
  display(data: MimeBundle, options: DisplayOptions): void;
  clear(options: { readonly wait: boolean }): void;
  /**
   * Says that the running cell's output now shows this value, so that it is not shown a second time if it is also the
   * cell's result. It is shown as usual in another cell, by `display(value)`, and after the output was cleared.
   */
  holds(value: object): void;
  /** Where the running code stands, for error messages: `Cell [3]`, or null outside a kernel. */
  currentCell(): string | null;
  /**
   * Output of the running cell that is still being made, for example a picture in a worker thread. The runtime waits
   * for it before it reports the cell done, however the cell ended. It settles within a few seconds and never rejects.
   */
  pending(work: Promise<void>): void;
}

const plainSink: OutputSink = {
  live: false,
  display(data) {
    const text = data["text/plain"];
    if (typeof text === "string") process.stdout.write(`${text}\n`);
  },
  clear() {},
  holds() {},
  currentCell: () => null,
  pending() {},
};

let sink: OutputSink = plainSink;

export function outputSink(): OutputSink {
  return sink;
}

/** Called once by the session's runtime. */
export function installOutputSink(next: OutputSink): void {
  sink = next;
}
