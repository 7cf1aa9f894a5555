// The pieces of what a cell printed as one output a stream, as a terminal shows them: carriage returns have done
// their work. Knows outputs, nothing of kernels.
import type { Output, StreamOutput } from "../notebook/format.ts";

/** Pieces of one stream together, where the first one stands; stdout before stderr where the two are neighbours. */
export function joinStreams(outputs: readonly Output[]): Output[] {
  const pieces = new Map<string, string[]>();
  const joined: Output[] = [];
  for (const output of outputs) {
    if (output.output_type !== "stream") joined.push(output);
    else if (pieces.has(output.name)) pieces.get(output.name)?.push(output.text);
    else {
      pieces.set(output.name, [output.text]);
      joined.push({ ...output });
    }
  }
  for (const output of joined) {
    if (isStream(output)) output.text = asShown((pieces.get(output.name) ?? []).join(""));
  }
  return withStdoutFirst(joined);
}

/** The two pipes are read at the same time, so which of them is first is chance. */
function withStdoutFirst(outputs: readonly Output[]): Output[] {
  const ordered = [...outputs];
  for (const [at, output] of ordered.entries()) {
    const next = ordered[at + 1];
    if (isStream(output, "stderr") && isStream(next, "stdout")) ordered.splice(at, 2, next, output);
  }
  return ordered;
}

function isStream(output: Output | undefined, name?: string): output is StreamOutput {
  return output?.output_type === "stream" && (name === undefined || output.name === name);
}

/** A carriage return that ends no line removes what stands before it in its line. */
function asShown(text: string): string {
  if (!text.includes("\r")) return text;
  return text
    .split("\n")
    .map((line) => {
      const end = line.endsWith("\r") ? "\r" : "";
      const shown = line.slice(0, line.length - end.length);
      return `${shown.slice(shown.lastIndexOf("\r") + 1)}${end}`;
    })
    .join("\n");
}
