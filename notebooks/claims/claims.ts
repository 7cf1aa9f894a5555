// Records what `claims.ipynb` measures of the documents in `documents/`. Each claim is shown as a row of a table, and
// as data that `test/claims.test.ts` collects into `claims.json`.
import { readFileSync } from "node:fs";
import { appleSilicon } from "./apple_silicon.ts";
import { mpsBackend } from "./mps_backend.ts";
import { mpsRunbook } from "./mps_runbook.ts";
import { optimizeMps } from "./optimize_mps.ts";
import { torch28OnMps } from "./torch_2_8_on_mps.ts";

export interface Claim {
  /** The claim as a sentence. */
  readonly claim: string;
  /** A piece of one line of the document. */
  readonly quote: string;
  /** Where it does not hold any more: the first version of PyTorch of which that is so, with a source. */
  readonly changed?: { readonly version: string; readonly source: string };
  /** Where it never held: what is the case instead. */
  readonly instead?: string;
  /** Of a sentence with more than one meaning: which one was measured, and what is so of the other. */
  readonly reading?: string;
}

/** The claims of a document by the names that `claims.json` has for them. */
export type Claims = Readonly<Record<string, Claim>>;

/** Each document's claims. Its text stands in `documents/`, with the lines as they were found. */
const DOCUMENTS = {
  optimize_mps: optimizeMps,
  torch_2_8_on_mps: torch28OnMps,
  mps_backend: mpsBackend,
  mps_runbook: mpsRunbook,
  apple_silicon: appleSilicon,
} satisfies Record<string, Claims>;

type Document = keyof typeof DOCUMENTS;
type ClaimId = { [Name in Document]: keyof (typeof DOCUMENTS)[Name] }[Document];

export type Verdict = "holds" | "no longer holds" | "never held" | "holds on a Mac only (not measured here)";

/** What a cell of a lesson shows. */
export interface Found {
  readonly notebook: string;
  readonly cell: string;
  readonly text: string;
}

/** What was measured, and whether it agrees with the claim: null for what this device cannot tell. */
type Measurement = readonly [measured: string | number | boolean | Found, holds: boolean | null];

/** A claim as `claims.json` holds it. One that a cell of this notebook measured gets `notebook` and `cell` there. */
export interface ClaimRecord {
  readonly id: string;
  readonly claim: string;
  readonly document: string;
  readonly line: number;
  readonly quote: string;
  readonly measured: string;
  readonly verdict: Verdict;
  readonly changedIn?: string;
  readonly source?: string;
  readonly instead?: string;
  readonly reading?: string;
  readonly notebook?: string;
  readonly cell?: string;
}

/** The type of an output that holds claims as data. */
const CLAIMS = "application/vnd.mpslab.claims+json";

const here = (file: string): URL => new URL(file, import.meta.url);

/** The line on which a quote stands, counted from 1. */
function lineOf(document: string, quote: string): number {
  const lines = readFileSync(here(`documents/${document}.txt`), "utf8").split("\n");
  const found = lines.flatMap((text, at) => (text.includes(quote) ? [at + 1] : []));
  if (found.length === 1) return found[0]!;
  throw new Error(
    `${document} has ${JSON.stringify(quote)} on lines [${found.join(", ")}]: quote what stands on one.`,
  );
}

function verdictOf(id: string, { changed, instead }: Claim, holds: boolean | null): Verdict {
  if (holds === null) return "holds on a Mac only (not measured here)";
  if (holds) return "holds";
  if (changed !== undefined) return "no longer holds";
  if (instead !== undefined) return "never held";
  throw new Error(`${id} does not hold here: say which version changed it, or what is the case instead.`);
}

function recordOf(id: string, [measured, holds]: Measurement): ClaimRecord {
  const [document, list] = Object.entries(DOCUMENTS).find(([, list]) => id in list)!;
  const claim = (list as Claims)[id]!;
  const verdict = verdictOf(id, claim, holds);
  return {
    ...{ id, claim: claim.claim, document, line: lineOf(document, claim.quote), quote: claim.quote },
    ...(typeof measured === "object"
      ? { measured: measured.text, notebook: measured.notebook, cell: measured.cell }
      : { measured: String(measured) }),
    verdict,
    ...(verdict === "no longer holds"
      ? { changedIn: claim.changed!.version, source: claim.changed!.source }
      : {}),
    ...(verdict === "never held" ? { instead: claim.instead! } : {}),
    ...(claim.reading === undefined ? {} : { reading: claim.reading }),
  };
}

/** Shows claims beside what was measured: `claims({ seeded: ["equal to the bit", true] })`. */
export function claims(measurements: Readonly<Partial<Record<ClaimId, Measurement>>>): object {
  const records = Object.entries(measurements).map(([id, measurement]) => recordOf(id, measurement));
  return {
    [Symbol.for("Jupyter.display")]: () => ({
      "text/html": html(records),
      "text/plain": records.map(text).join("\n"),
      [CLAIMS]: records,
    }),
  };
}

const MARKS: Readonly<Record<Verdict, string>> = {
  holds: "✓",
  "no longer holds": "✗",
  "never held": "✗",
  "holds on a Mac only (not measured here)": "?",
};

/** `no longer holds, since 2.9 (pytorch#160541)`. */
function judged({ verdict, changedIn, source, instead, reading }: ClaimRecord): string {
  if (changedIn !== undefined) return `${verdict}, since ${changedIn} (${source})`;
  const why = instead === undefined ? "" : `: ${instead}`;
  return `${verdict}${why}${reading === undefined ? "" : `. Read as: ${reading}`}`;
}

function text(record: ClaimRecord): string {
  const { claim, measured, document, line } = record;
  return `${MARKS[record.verdict]} ${claim} [${document}, line ${line}]\n    measured: ${measured}\n    ${judged(record)}`;
}

/** JupyterLab takes `overflow-wrap` out of a notebook that it does not trust: long names say themselves where they break. */
const escape = (text: string): string =>
  text
    .replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/[\w.]{16,}/g, (name) => name.replace(/[._]/g, "$&<wbr>"));

function html(records: readonly ClaimRecord[]): string {
  const quiet = "color:var(--jp-ui-font-color2,#888);font-size:12px";
  const cell = 'style="text-align:left;vertical-align:top;white-space:normal;overflow-wrap:anywhere"';
  const rows = records.map(
    (record) =>
      `<tr><td ${cell}>${escape(record.claim)}<br><span style="${quiet}">${record.document}, line ${record.line}: “${escape(record.quote)}”</span></td>` +
      `<td ${cell}>${escape(record.measured)}</td><td ${cell}>${MARKS[record.verdict]} ${escape(judged(record))}</td></tr>`,
  );
  const heads = [
    ["claim", 40],
    ["measured here", 32],
    ["verdict", 28],
  ]
    .map(([head, width]) => `<th style="text-align:left;width:${width}%">${head}</th>`)
    .join("");
  return `<table style="width:100%;table-layout:fixed"><thead><tr>${heads}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

interface Cell {
  readonly id: string;
  readonly outputs?: readonly {
    readonly text?: string | readonly string[];
    readonly evalue?: string;
    readonly data?: { readonly "text/plain"?: string | readonly string[] };
  }[];
}

const joined = (text: string | readonly string[] = ""): string =>
  typeof text === "string" ? text : text.join("");

/** Finds what a lesson has measured: the cell whose stored output matches, and the first group of the match. */
export function inLesson(notebook: string, pattern: RegExp): Found {
  const { cells } = JSON.parse(readFileSync(here(`../${notebook}`), "utf8")) as { cells: Cell[] };
  for (const { id, outputs = [] } of cells) {
    const shown = outputs.map((output) =>
      [joined(output.text), output.evalue ?? "", joined(output.data?.["text/plain"])].join(""),
    );
    const match = pattern.exec(shown.join("\n"));
    if (match !== null) return { notebook, cell: id, text: match[1] ?? match[0] };
  }
  throw new Error(`No cell of ${notebook} shows ${pattern}.`);
}
