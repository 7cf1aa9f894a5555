// Rules for options that are lists of strings: captions of images, and names of bars, rows, columns or classes; and how names of
// columns stand below them.
import { LABEL_SEPARATION, type Specification } from "../../charts/chart_style.ts";
import { textWidth } from "../../charts/plot_style.ts";
import { checkList, checkText } from "../../torch/vocabulary/arguments.ts";
import { optional } from "../../torch/vocabulary/options.ts";

function checkLabels(call: string, name: string, value: unknown): readonly string[] {
  const list = checkList(call, name, value as readonly unknown[]);
  return Array.from(list, (label, at) => checkText(call, `${name}[${at}]`, label));
}

export function labelsRule() {
  return optional(checkLabels);
}

/** Names must differ, because equal names would be drawn at the same place. */
export function namesRule() {
  return optional((call, name, value: unknown) => {
    const names = checkLabels(call, name, value);
    const twice = names.findIndex((one, at) => names.indexOf(one) < at);
    if (twice < 0) return names;
    throw new RangeError(
      `${call}: ${name}[${names.indexOf(names[twice]!)}] and ${name}[${twice}] are both ${JSON.stringify(names[twice])}; give each its own name.`,
    );
  });
}

/** Of one name of a row or a column. */
export const LINE_HEIGHT = 16;

/** Names of columns that are wider than their columns stand aslant, if they have room there. */
export function turned(labels: readonly string[] | undefined, room: number): Specification {
  const widest = Math.max(0, ...(labels ?? []).map((label) => textWidth(label)));
  if (labels === undefined || room < LINE_HEIGHT) return {};
  if (widest + LABEL_SEPARATION <= room) return { labelOverlap: false };
  return { labelAngle: -45, labelAlign: "right", labelBaseline: "middle", labelOverlap: false };
}
