// The functions that a converted cell brings along for what Python's str, format, int and float make of a value. They know
// nothing of the converter.

export const TEXT_HELPERS: Readonly<
  Record<string, { readonly text: string; readonly uses?: readonly string[] }>
> = {
  toInt: {
    text: `
/** What int(value) is in Python: towards zero; of a text what it says, or an error. */
function toInt(value: any, base = 10): number {
  if (typeof value?.item === "function") return toInt(value.item());
  if (typeof value !== "string") {
    if (!Number.isFinite(Number(value)) || value === null || Array.isArray(value))
      throw new RangeError(\`\${String(value)} is no whole number.\`);
    return Math.trunc(Number(value));
  }
  const text = value.trim().toLowerCase().replace(/(?<=\\w)_(?=\\w)/g, "");
  const digits = text.replace(/^[+-]/, "").replace({ 16: /^0x/, 8: /^0o/, 2: /^0b/ }[base] ?? /^$/, "");
  const isWhole = digits !== "" && [...digits].every((digit) => Number.parseInt(digit, base) >= 0);
  if (!isWhole) throw new RangeError(\`"\${value}" is no whole number of base \${base}.\`);
  return (text.startsWith("-") ? -1 : 1) * Number.parseInt(digits, base);
}`,
  },
  toFloat: {
    text: `
/** What float(value) is in Python: of a text what it says, or an error. */
function toFloat(value: any): number {
  if (typeof value?.item === "function") return toFloat(value.item());
  if (typeof value !== "string") return Number(value);
  const text = value.trim().toLowerCase();
  const special = /^([+-]?)(inf|infinity|nan)$/.exec(text);
  if (special !== null) return special[2] === "nan" ? NaN : special[1] === "-" ? -Infinity : Infinity;
  if (!/^[+-]?(\\d[\\d_]*\\.?\\d*|\\.\\d+)(e[+-]?\\d+)?$/.test(text)) throw new RangeError(\`"\${value}" is no number.\`);
  return Number(text.replaceAll("_", ""));
}`,
  },
  zeroPadded: {
    text: `
/** Zeros between the sign of a number and its digits, up to a width. */
function zeroPadded(text: string, width: number): string {
  const sign = /^[+-]?/.exec(text)![0];
  return sign + text.slice(sign.length).padStart(width - sign.length, "0");
}`,
  },
  findAll: {
    text: `
/** What findall(of) is in Python: the matches, or what the groups in brackets have matched. */
function findAll(pattern: RegExp, of: string): any[] {
  return Array.from(of.matchAll(pattern), ([whole, ...groups]) => {
    const found = groups.map((group) => group ?? "");
    return found.length === 0 ? whole : found.length === 1 ? found[0] : found;
  });
}`,
  },
  categoryOf: {
    text: `
/** The general category of a sign in Unicode: Lu, Mn, Nd and so on. */
function categoryOf(sign: string): string {
  const all = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co";
  return all.split(" ").find((name) => new RegExp(\`^\\\\p{\${name}}$\`, "u").test(sign)) ?? "Cn";
}`,
  },
  asText: {
    text: `
/** What str(value) is in Python; a float is told apart from an int where the cell says it is one. */
function asText(value: any, isFloat = false, isInside = false): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
    if (Number.isInteger(value) && Math.abs(value) < 1e16)
      return isFloat ? \`\${Object.is(value, -0) ? "-0" : value}.0\` : String(value);
    const size = Math.abs(value);
    const text = size < 1e-4 || size >= 1e16 ? value.toExponential() : String(value);
    return text.replace(/e([+-])(\\d)$/, "e$10$2");
  }
  if (typeof value === "string") {
    if (!isInside) return value;
    const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
    const inner = JSON.stringify(value).slice(1, -1).replaceAll('\\\\"', '"');
    return quote + (quote === "'" ? inner.replaceAll("'", "\\\\'") : inner) + quote;
  }
  const parts = (values: Iterable<any>) => Array.from(values, (one) => asText(one, isFloat, true));
  if (Array.isArray(value)) return \`[\${parts(value).join(", ")}]\`;
  if (value instanceof Set) return value.size === 0 ? "set()" : \`{\${parts(value).join(", ")}}\`;
  if (value instanceof Error) return value.message;
  if (value.constructor !== Object) return String(value);
  const fields = Object.entries(value).map(([key, one]) => parts([key, one]).join(": "));
  return \`{\${fields.join(", ")}}\`;
}`,
  },
  asField: {
    uses: ["asText"],
    text: `
/** What a template writes for a value in Python: the number of a tensor without dimensions, and str() of others. */
function asField(value: any, isFloat = false): string {
  const isScalar = typeof value?.setAt === "function" && value.dim() === 0 && !value.isComplex();
  return isScalar ? asText(value.item(), value.isFloatingPoint()) : asText(value, isFloat);
}`,
  },
};
