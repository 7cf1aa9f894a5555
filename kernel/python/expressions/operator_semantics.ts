// The functions that a converted cell brings along for Python's operators where it is known only when the cell runs what
// they stand between: `def step(w, g): return w - 0.1 * g` is of tensors, or of numbers. They know nothing of the converter.

export interface OpenOperator {
  /** The function's name, and the method of a tensor. */
  readonly name: string;
  readonly method: string;
  /** What a number on the left of a tensor gives: `b.neg().add(a)` */
  readonly turned: string;
  /** What lists and texts give, as statements. */
  readonly ofLists?: string;
  readonly ofNumbers: string;
  readonly uses?: readonly string[];
  /** Whether a float beside a tensor of whole numbers makes floats of them: a division does so by itself. */
  readonly takesFloats: boolean;
}

/** By Python's sign. */
export const OPEN_OPERATORS: Readonly<Record<string, OpenOperator>> = {
  "+": {
    name: "addOf",
    method: "add",
    turned: "b.add(a)",
    ofLists: `
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  if (typeof a === "string" && typeof b === "string") return a + b;`,
    ofNumbers: "a + b",
    takesFloats: true,
  },
  "-": {
    name: "subOf",
    method: "sub",
    turned: "b.neg().add(a)",
    ofNumbers: "a - b",
    takesFloats: true,
  },
  "*": {
    name: "mulOf",
    method: "mul",
    turned: "b.mul(a)",
    ofLists: `
  const [whole, times] = typeof a === "number" ? [b, a] : [a, b];
  if (typeof whole === "string") return whole.repeat(Math.max(0, times));
  if (Array.isArray(whole)) return Array.from({ length: Math.max(0, times) }, () => whole).flat();`,
    ofNumbers: "a * b",
    takesFloats: true,
  },
  "/": {
    name: "divOf",
    method: "div",
    turned: "b.reciprocal().mul(a)",
    ofNumbers: "a / b",
    takesFloats: false,
  },
  "//": {
    name: "floorDivideOf",
    method: "floorDivide",
    turned: "torch.tensor(a).floorDivide(b)",
    ofNumbers: "floorDivide(a, b)",
    uses: ["floorDivide"],
    takesFloats: true,
  },
  "%": {
    name: "remainderOf",
    method: "remainder",
    turned: "torch.tensor(a).remainder(b)",
    ofNumbers: "modulo(a, b)",
    uses: ["modulo"],
    takesFloats: true,
  },
  "**": {
    name: "powOf",
    method: "pow",
    turned: "torch.ops.aten.pow.Scalar(a, b)",
    ofNumbers: "a ** b",
    takesFloats: true,
  },
};

function textOf(sign: string, { name, method, turned, ofLists = "", ofNumbers }: OpenOperator): string {
  return `
/** What a ${sign} b is in Python, of numbers or tensors${ofLists === "" ? "" : ", lists or texts"}. */
function ${name}(a: any, b: any): any {
  if (typeof a?.setAt === "function") return a.${method}(b);
  if (typeof b?.setAt === "function") return ${turned};${ofLists}
  requireNumbers("${sign}", a, b);
  return ${ofNumbers};
}`;
}

export const OPERATOR_HELPERS = {
  requireNumbers: {
    text: `
/** An error where an operator of numbers stands between other values. */
function requireNumbers(sign: string, ...values: any[]): void {
  const [other] = values.filter((value) => !["number", "boolean", "bigint"].includes(typeof value)).map(String);
  if (other !== undefined) throw new TypeError(\`\${sign} stands between numbers or tensors, got \${other}.\`);
}`,
  },
  withFloat: {
    uses: ["floatOf"],
    needsTorch: true,
    text: `
/** An operator of which one side is a float of Python, that may be whole: beside a tensor of whole numbers it makes floats. */
function withFloat(operator: (a: any, b: any) => any, a: any, b: any): any {
  const beside = (value: any, other: any) => (typeof other?.setAt === "function" && typeof value === "number" ? floatOf(value) : value);
  return operator(beside(a, b), beside(b, a));
}`,
  },
  inPlace: {
    text: `
/** What a += b makes of a, and so of other operators: a tensor changes in place, a list grows, a number is another one. */
function inPlace(method: string, operator: (a: any, b: any) => any, a: any, b: any): any {
  if (typeof a?.setAt === "function") return a[method](b);
  if (!Array.isArray(a) || method !== "add_") return operator(a, b);
  a.push(...b);
  return a;
}`,
  },
  ...Object.fromEntries(
    Object.entries(OPEN_OPERATORS).map(([sign, operator]) => [
      operator.name,
      {
        text: textOf(sign, operator),
        uses: ["requireNumbers", ...(operator.uses ?? [])],
        needsTorch: operator.turned.includes("torch."),
      },
    ]),
  ),
};
