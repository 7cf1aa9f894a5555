// Joins what a cell printed into one output for each stream, as a terminal would show it: carriage returns are applied.
// Knows outputs, nothing of kernels.
import type { Output, StreamOutput } from "../notebook/format.ts";

/**
 * Joins the pieces of each stream at the place of its first piece. Where stdout and stderr are neighbours, stdout comes
 * first.
 */
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

/** The two pipes are read at the same time, so which of them comes first is chance. */
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

/** A carriage return within a line removes what the line had before it. */
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
