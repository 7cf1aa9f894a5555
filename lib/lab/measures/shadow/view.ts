// Shows what `lab.shadow` compared as a table, and a wrong result as facts above the programs that show it.
import type { MimeBundle } from "../../../display.ts";
import { formatShare, formatTime } from "../../../units.ts";
import { escapeHtml } from "../../../views/html.ts";
import { tableBundle } from "../../../views/shown_as.ts";
import { columns, type Table } from "../../../views/table.ts";
import { INPUTS_FILE } from "./reproduction.ts";
import type { Shadow, ShadowFinding } from "./result.ts";

const count = (value: number): string => value.toLocaleString("en-US");

export function shadowTable(shadow: Shadow): Table {
  const { device, calls, compared, spentMs, elapsedMs, sample, operators, steps } = shadow;
  const share = elapsedMs > 0 ? spentMs / elapsedMs : 0;
  const wished =
    sample === null ? 'sample: "all"' : `at most ${formatShare(sample)} after the first of each kind`;
  const kinds = operators.reduce((sum, operator) => sum + operator.kinds, 0);
  const comparedKinds = operators.reduce((sum, operator) => sum + operator.comparedKinds, 0);
  return {
    caption: `${device} beside the CPU in ${steps === 1 ? "1 step" : `${count(steps)} steps`}: ${count(compared)} of ${count(calls)} calls compared, none is wrong`,
    columns: columns("<operator", "calls", "compared", "kinds", "compared", "time", "<<left out because"),
    rows: operators.map((one) => [
      one.operator,
      ...[one.calls, one.compared, one.kinds, one.comparedKinds].map(count),
      formatTime(one.spentMs),
      one.leftOut ?? "",
    ]),
    notes: [
      `${count(comparedKinds)} of ${count(kinds)} kinds of calls were compared: calls of one kind have like dtypes, sizes and strides.`,
      `Comparing took ${formatTime(spentMs)} of ${formatTime(elapsedMs)} (${formatShare(share)}; ${wished}).`,
    ],
  };
}

const value = (number: number | bigint): string =>
  typeof number === "bigint" || Number.isInteger(number)
    ? String(number)
    : String(Number(number.toPrecision(9)));

function findingTable(finding: ShadowFinding): Table {
  const { device, operator, overload, node, place, result, tensors, others, worst, wrongElements } = finding;
  const total = finding.results?.cpu.numel() ?? 0;
  const { drawn } = finding.reproduction;
  return {
    caption: `${operator} on ${device} is wrong`,
    columns: columns("<", "<"),
    rows: [
      ["operator", `aten::${operator}, overload ${overload}`],
      [
        "called",
        `${place ?? "(outside of your code)"}${node === null ? "" : `, by ${node} of the backward`}`,
      ],
      ...tensors.map(
        ({ name, dtype, shape, strides, offset }) =>
          [
            name,
            `${dtype} [${shape.join(", ")}], strides [${strides.join(", ")}]${offset === 0 ? "" : `, from element ${count(offset)}`}`,
          ] as const,
      ),
      ["other arguments", others.length === 0 ? "none" : others.join(", ")],
      ["wrong", `${result}: ${finding.shapes ?? `${count(wrongElements)} of ${count(total)} elements`}`],
      ...(worst === null
        ? []
        : ([
            ["worst element", `[${worst.index.join(", ")}]`],
            [`on ${device}`, value(worst.device)],
            ["on the CPU", value(worst.cpu)],
            ...(worst.allowed === 0
              ? [["rounding explains", "nothing: both must be equal"] as const]
              : [
                  ["in double precision", value(worst.exact)] as const,
                  ["rounding explains", worst.allowed.toPrecision(2)] as const,
                ]),
          ] as const)),
    ],
    notes: drawn
      ? []
      : [
          `Drawn numbers did not show it again: error.saveInputs() writes ${INPUTS_FILE}, which both programs read.`,
        ],
  };
}

/** The output that a notebook shows when a wrong result stops a step. */
export function findingBundle(finding: ShadowFinding): MimeBundle {
  const table = tableBundle(findingTable(finding));
  const { cell, python } = finding.reproduction;
  const program = (heading: string, text: string) =>
    `<div style="margin-top:8px">${heading}</div><pre style="overflow-x:auto;margin:4px 0 0">${escapeHtml(text)}</pre>`;
  return {
    "text/html": `${String(table["text/html"])}${program("As a cell:", cell)}${program("In Python, for a report to PyTorch:", python)}`,
    "text/plain": `${String(table["text/plain"])}\n\nAs a cell:\n${cell}\n\nIn Python, for a report to PyTorch:\n${python}`,
  };
}
