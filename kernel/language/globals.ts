// Declares the globals that every cell sees without an import, with their documentation. The session defines the
// values; this file compiles to an empty module and is only for the checker.

/** The output that `display` has shown. It can be drawn again in place. */
export interface CellDisplay {
  readonly displayId: string;
  /** Replaces what is shown, in every place where it is shown. */
  update(value: unknown): void;
}

/** What a cell showed. Only the text is kept; the value is not kept alive by having been shown. */
export interface CellOutput {
  /** How the value was shown. */
  readonly preview: string;
  /** The value, or undefined once nothing else holds it. */
  // oxlint-disable-next-line typescript/no-explicit-any -- see `_`
  readonly value: any;
}

declare global {
  interface ImportMeta {
    /** Fires when this cell is interrupted; undefined once it has ended. */
    readonly signal: AbortSignal | undefined;
  }

  /**
   * Shows a value below the cell, at once. A value with a `Symbol.for("Jupyter.display")` method shows itself; an
   * object whose keys are MIME types is shown as it is. A second call with the same `displayId` in one run of the cell
   * replaces what the first one showed.
   *
   * @example
   * const output = display("0%");
   * output.update("50%");
   * @example
   * for (const share of ["0%", "50%"]) display(share, { displayId: "share" });
   * @example
   * display({ "image/png": bytes }, { metadata: { "image/png": { width: 300 } } });
   */
  function display(
    value: unknown,
    options?: { readonly displayId?: string; readonly metadata?: Readonly<Record<string, unknown>> },
  ): CellDisplay;

  /**
   * Removes the cell's output, except for the charts of its epoch loops. With `wait`, only when the next output comes, so
   * that nothing flickers.
   */
  function clearOutput(options?: { readonly wait?: boolean }): void;

  /**
   * Asks for a line of text and waits for it. With `password`, what is typed is not shown. An empty answer gives
   * the default.
   */
  function prompt(
    message?: string,
    options?: string | { readonly password?: boolean; readonly default?: string },
  ): string;

  /** Asks a yes-or-no question and waits for the answer. */
  function confirm(message?: string): boolean;

  /** As in Deno's kernel, for notebooks that were written for it. A cell has no other member of `Deno`. */
  namespace Deno {
    namespace jupyter {
      const $display: unique symbol;
      /** Shows a value; with `raw`, a MIME bundle. */
      function display(
        value: unknown,
        options?: { readonly raw?: boolean; readonly update?: boolean; readonly display_id?: string },
      ): Promise<void>;
      /** Sends `display_data`, `update_display_data`, `stream` or `clear_output`. */
      function broadcast(
        type: string,
        content: Readonly<Record<string, unknown>>,
        extra?: { readonly metadata?: object; readonly buffers?: readonly Uint8Array[] },
      ): Promise<void>;
      /** The MIME bundle with which a value is shown. */
      function format(value: unknown): Promise<Readonly<Record<string, unknown>>>;
      function html(strings: TemplateStringsArray, ...values: readonly unknown[]): object;
      function md(strings: TemplateStringsArray, ...values: readonly unknown[]): object;
      function svg(strings: TemplateStringsArray, ...values: readonly unknown[]): object;
    }
  }

  /** The text of each cell that ran, by its number. */
  const In: Readonly<Record<number, string>>;

  /** The values of the cells, by their numbers. */
  const Out: Readonly<Record<number, CellOutput>>;

  /** The value of the last cell that had one. */
  // oxlint-disable-next-line typescript/no-explicit-any -- it has any type, and `unknown` would forbid every use
  const _: any;
}
