// Writes the tables by which `lib/torch/types/arithmetic/arithmetic.ts` computes with digits at compile time: 316 entries. A digit
// is a character or as many bars: "3" or "|||". Each table accepts any text as its key, because the compiler cannot see that
// no other key occurs.

interface Table {
  readonly name: string;
  readonly summary: string;
  readonly entries: readonly (readonly [key: string, value: string])[];
}

const DIGITS = Array.from({ length: 10 }, (_, digit) => digit);
const bars = (count: number): string => "|".repeat(count);

/** The most bars that one column of a sum may have: two digits, and what a product carries. */
const MOST_BARS = 27;
const SUMS = Array.from({ length: MOST_BARS + 1 }, (_, sum) => sum);

const ofDigits = (value: (digit: number) => string): Table["entries"] =>
  DIGITS.map((digit) => [String(digit), value(digit)]);

const ofSums = (value: (sum: number) => string): Table["entries"] =>
  SUMS.map((sum) => [bars(sum), value(sum)]);

/** An entry for each pair of digits, with a key such as "78". */
const ofPairs = (value: (product: number) => number): Table["entries"] =>
  DIGITS.flatMap((one) => DIGITS.map((other) => [`${one}${other}`, bars(value(one * other))]));

const TABLES: readonly Table[] = [
  { name: "UnaryOf", summary: '"3" -> "|||"', entries: ofDigits(bars) },
  { name: "DigitOf", summary: '"|||" -> "3"', entries: DIGITS.map((digit) => [bars(digit), String(digit)]) },
  {
    name: "NineLess",
    summary: 'The difference between nine and a digit: "7" -> "||"',
    entries: ofDigits((digit) => bars(9 - digit)),
  },
  {
    name: "Kept",
    summary: 'The digit that stays of a sum: 12 bars -> "2"',
    entries: ofSums((sum) => String(sum % 10)),
  },
  {
    name: "Carried",
    summary: 'The bars that go to the next digit: 12 bars -> "|"',
    entries: ofSums((sum) => bars(Math.floor(sum / 10))),
  },
  {
    name: "Ones",
    summary: 'The last digit of a product, as bars: "7" by "8" -> 6',
    entries: ofPairs((product) => product % 10),
  },
  {
    name: "Tens",
    summary: 'Its first: "7" by "8" -> 5',
    entries: ofPairs((product) => Math.floor(product / 10)),
  },
  {
    name: "HalfOf",
    summary: 'Halves a digit, with 1 before it if the digit before was odd: "15" -> "7"',
    entries: [...DIGITS, ...DIGITS.map((digit) => 10 + digit)].map((number) => [
      String(number),
      String(Math.floor(number / 2)),
    ]),
  },
  {
    name: "OddOf",
    summary: 'The remainder of a digit when it is halved, for the next digit: "5" -> "1", "4" -> ""',
    entries: ofDigits((digit) => (digit % 2 === 1 ? "1" : "")),
  },
];

/** TypeScript that declares the tables as interfaces: looking a key up costs a tenth of a conditional type that infers. */
export function digitTables(header: string): string {
  const interfaces = TABLES.map(({ name, summary, entries }) =>
    [
      `/** ${summary} */`,
      `export interface ${name} {`,
      "  readonly [text: string]: string;",
      ...entries.map(([key, value]) => `  "${key}": "${value}";`),
      "}",
      "",
    ].join("\n"),
  );
  return [header, "", ...interfaces].join("\n");
}
