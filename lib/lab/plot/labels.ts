// The rule of options that name bars, rows, columns or classes, and pictures: a list of strings.
import { checkList, checkText } from "../../torch/vocabulary/arguments.ts";
import { optional } from "../../torch/vocabulary/options.ts";

export function labelsRule() {
  return optional((call, name, value: unknown): readonly string[] =>
    Array.from(checkList(call, name, value as readonly unknown[]), (label, at) =>
      checkText(call, `${name}[${at}]`, label),
    ),
  );
}
