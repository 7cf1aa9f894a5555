// A small real text set for the tests of tokenizers: what the developers of Leaflet, a map library, wrote about each
// change, in the classes of its changelog. Reads the changelog of the npm package `leaflet`; it downloads nothing.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Tensor, torch } from "../../../../lib/index.ts";

export interface LeafletChanges {
  /** One line each: `Fix vector drifts when zoomAnimation is false and zooming via flyTo or pinch`. */
  readonly texts: readonly string[];
  /** int64 [count], indices into `classes`. */
  readonly labels: Tensor;
  readonly classes: readonly ["documentation", "bug", "feature"];
}

const CLASSES = ["documentation", "bug", "feature"] as const;

/**
 * Words of the heading that a change stands under; the first that fits counts. Workflow, tests and the like are left
 * out.
 */
const HEADINGS: readonly RegExp[] = [
  /\bdocs?\b/i,
  /bug ?fix/i,
  /improvement|feature|api change|accessibility/i,
];

/** Every fifth change is for testing. */
const TEST_EVERY = 5;

/** Without links, authors and marks of Markdown: ``Fix `flyTo` ([#1](...) by [@a](...))`` -> `Fix flyTo`. */
function plainText(line: string): string {
  return line
    .replace(/\s*\((?:by )?\[[#@][^)]*\)[^()]*(?:\([^()]*\)[^()]*)*\)/g, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\s*\(by [^)]*\)|,?\s*#\d+/g, "")
    .replace(/<[^>]+>|[`*]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

function* changesIn(changelog: string): Generator<readonly [text: string, label: number]> {
  let label = -1;
  const seen = new Set<string>();
  for (const line of changelog.split("\n")) {
    const heading = /^#{2,4} +(.*)/.exec(line);
    if (heading) label = HEADINGS.findIndex((words) => words.test(heading[1]!));
    const change = /^[*-] +(.*)/.exec(line);
    const text = change && plainText(change[1]!);
    if (!text || label < 0 || seen.has(text)) continue;
    seen.add(text);
    yield [text, label];
  }
}

/** The changes for training, or those for testing. */
export function leafletChanges({ train }: { readonly train: boolean }): LeafletChanges {
  const changelog = readFileSync(createRequire(import.meta.url).resolve("leaflet/CHANGELOG.md"), "utf8");
  const changes = [...changesIn(changelog)].filter((_, i) => (i % TEST_EVERY === 0) !== train);
  return {
    texts: changes.map(([text]) => text),
    labels: torch.tensor(
      changes.map(([, label]) => label),
      { dtype: "int64" },
    ),
    classes: CLASSES,
  };
}
