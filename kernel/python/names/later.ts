// Finds functions that a cell calls before any cell has defined them: Python looks a name up when the function around the call
// runs. It does not know the cells below.
import { type Context, mark } from "../context.ts";
import { isAbove, pathOf } from "./members.ts";
import { variableOf } from "../source/scope.ts";
import type { Node } from "../source/syntax.ts";

/** Python's own functions that are not converted: a cell below will not define them. */
const OWN = new Set(
  "aiter anext ascii bin breakpoint bytearray bytes classmethod compile complex delattr dir eval exec exit filter format get_ipython globals hash help hex locals memoryview object oct property quit slice staticmethod super vars".split(
    " ",
  ),
);

/** Notes a function of a cell below, which the header declares, so that the function around the call is made. */
export function noteLater(node: Node, context: Context): void {
  const { text: name } = node;
  const { scope } = context;
  if (context.isShownAlone || scope.parent === null || isWrittenHere(name, context.text)) return;
  const isKnown =
    OWN.has(name) ||
    /(Error|Exception|Warning)$/.test(name) ||
    variableOf(scope, name) !== null ||
    isAbove(name, context) ||
    pathOf(context, name) !== null;
  if (isKnown) return;
  context.later.add(name);
  mark(context, node, `${name} is of no cell above: a cell must define it before this runs`);
}

/** Whether the cell has the name anywhere but where it is called. */
function isWrittenHere(name: string, text: string): boolean {
  return new RegExp(`\\b(?:def|class|as|import)\\s+${name}\\b|(?<![\\w.])${name}\\b(?!\\s*\\()`).test(text);
}
