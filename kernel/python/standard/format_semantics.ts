// The functions that a converted cell brings along for a format that it makes itself: "{:" + str(width) + "d}". They know
// nothing of the converter.

export const FORMAT_HELPERS: Readonly<
  Record<string, { readonly text: string; readonly uses?: readonly string[] }>
> = {
  formatOf: {
    uses: ["fieldText"],
    text: `
/** What template.format(*values, **fields) is in Python; an error where a field has no value or no equal. */
function formatOf(template: string, values: readonly any[], fields: any = {}): string {
  let next = 0;
  return template.replace(/\\{\\{|\\}\\}|\\{([^{}]*)\\}/g, (whole, inner?: string) => {
    if (inner === undefined) return whole[0]!;
    const [, name, spec = ""] = /^(\\w*)(?::(.*))?$/.exec(inner) ?? [];
    if (name === undefined) throw new RangeError(\`The field \${whole} has no equal here: write a template.\`);
    const value = /^\\d*$/.test(name) ? values[name === "" ? next++ : Number(name)] : fields[name];
    if (value === undefined) throw new RangeError(\`There is no value for the field \${whole}.\`);
    return fieldText(value, spec);
  });
}`,
  },
  fieldText: {
    uses: ["asField", "general"],
    text: `
/** What format(value, spec) is in Python: ">8", "6.3f", "+.2e", ",d". */
function fieldText(given: any, spec: string): string {
  if (spec === "") return asField(given);
  const value = typeof given?.setAt === "function" && given.dim() === 0 ? given.item() : given;
  const found = /^(?:(.)?([<>^=]))?([+-])?(0)?(\\d+)?(,)?(?:\\.(\\d+))?([bdeEfFgosxX%])?$/.exec(spec);
  const isNumber = typeof value === "number";
  if (found === null || (!isNumber && typeof value !== "string") || (!isNumber && /[^s]/.test(found[8] ?? "s")))
    throw new RangeError(\`The format \${spec} has no equal here of \${String(value)}.\`);
  const [, fill, align, sign, zero, width, grouped, digits, type] = found;
  if (isNumber && ((/[bdoxX]/.test(type ?? "f") && !Number.isInteger(value)) || type === "s"))
    throw new RangeError(\`The format \${spec} takes no \${value}.\`);
  const places = Number(digits ?? 6);
  let text = asField(given);
  if (!isNumber) text = digits === undefined ? text : text.slice(0, places);
  else if (!Number.isFinite(value)) text = asField(value);
  else if (type === "f" || type === "F") text = value.toFixed(places);
  else if (type === "%") text = \`\${(value * 100).toFixed(places)}%\`;
  else if (type === "e" || type === "E") text = value.toExponential(places).replace(/e([+-])(\\d)$/, "e$10$2");
  else if (type === "g" || (type === undefined && digits !== undefined)) text = general(value, places, type !== "g");
  else if (type === "d") text = String(value);
  else if (type !== undefined) text = value.toString({ x: 16, X: 16, b: 2, o: 8 }[type]!);
  if (type === "E" || type === "X") text = text.toUpperCase();
  if (grouped !== undefined) text = text.replace(/^-?\\d+/, (whole) => whole.replace(/\\B(?=(?:\\d{3})+$)/g, ","));
  if (isNumber && sign === "+" && !text.startsWith("-")) text = \`+\${text}\`;
  const missing = Math.max(Number(width ?? 0) - text.length, 0);
  const filling = (count: number) => (fill ?? (zero === undefined ? " " : "0")).repeat(count);
  const way = align ?? (zero !== undefined ? "=" : isNumber ? ">" : "<");
  if (way === "<") return text + filling(missing);
  if (way === "^") return filling(Math.floor(missing / 2)) + text + filling(Math.ceil(missing / 2));
  const front = way === "=" ? /^[+-]?/.exec(text)![0] : "";
  return front + filling(missing) + text.slice(front.length);
}`,
  },
};
