// Prints a module in PyTorch's layout with our names: the text in parentheses can be typed back.

function indented(text: string): string {
  return text.replaceAll("\n", "\n  ");
}

/** `layers.3` -> ["layers.", 3], `0` -> null: only elements of an array are gathered under one line. */
function arrayElement(name: string): { readonly array: string; readonly index: number } | null {
  const dot = name.lastIndexOf(".");
  return dot < 0 ? null : { array: name.slice(0, dot), index: Number(name.slice(dot + 1)) };
}

type Child = readonly [name: string, text: string];

/** Returns how many children from `first` on are equal elements of one array. */
function runLength(children: readonly Child[], first: number): number {
  const [name, text] = children[first]!;
  const array = arrayElement(name)?.array;
  if (array === undefined) return 1;
  const rest = children.slice(first);
  const end = rest.findIndex(
    ([other, otherText]) => otherText !== text || arrayElement(other)?.array !== array,
  );
  return end < 0 ? rest.length : end;
}

/** Equal neighbours of one array on one line: `(layers.0-11): 12 x Block(...)`. */
function childLines(children: readonly Child[]): string[] {
  const lines: string[] = [];
  for (let first = 0, count = 1; first < children.length; first += count) {
    count = runLength(children, first);
    const [name, text] = children[first]!;
    const [lastName] = children[first + count - 1]!;
    const label = count === 1 ? `(${name}): ` : `(${name}-${arrayElement(lastName)!.index}): ${count} x `;
    lines.push(label + indented(text));
  }
  return lines;
}

/**
 * ```
 * Sequential(
 *   (0): Linear(inFeatures=2, outFeatures=3, bias=true)
 * )
 * ```
 */
export function moduleText(className: string, extra: string, children: readonly Child[]): string {
  if (children.length === 0) return `${className}(${indented(extra)})`;
  const lines = childLines(children);
  if (extra !== "") lines.unshift(indented(extra));
  return `${className}(\n  ${lines.join("\n  ")}\n)`;
}
