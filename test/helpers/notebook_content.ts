// What the file of a notebook holds, as tests read it.
import type { MimeBundle } from "../../lib/display.ts";

export type Output =
  | { readonly output_type: "stream"; readonly name: string; readonly text: string | readonly string[] }
  | { readonly output_type: "error"; readonly ename: string; readonly evalue: string }
  | {
      readonly output_type: "display_data" | "execute_result";
      readonly data: MimeBundle;
      readonly metadata: MimeBundle;
    };

export interface NotebookCell {
  readonly cell_type: "code" | "markdown";
  readonly source: string | readonly string[];
  readonly metadata: { readonly tags?: readonly string[] };
  readonly outputs?: readonly Output[];
}

export interface Notebook {
  readonly cells: readonly NotebookCell[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A notebook's texts are strings or lists of lines. */
export function textOf(text: unknown): string {
  return Array.isArray(text) ? text.join("") : String(text);
}
