// Collects the columns of a CSV file while it is read: finds each one's kind, and in a column of words the few values that
// are no numbers. Knows texts and lines, not how a file is divided into fields.
import { counted } from "../../../words.ts";
import { type ColumnData, NumberBuilder, WordBuilder } from "./column_data.ts";
import type { ColumnKind, TextReaders } from "./kinds.ts";
import { OtherWritings } from "./other_writings.ts";

export interface ParsedColumn {
  readonly name: string;
  /**
   * False for a text that is not of the column's kind.
   *
   * @param line finds the text's line in the file
   */
  add(text: string, line: () => number): boolean;
  /** The values that keep a column of words from being one of numbers or dates; null where they are many, or none. */
  odd(): OddValues | null;
  /** How a column of words writes numbers or dates otherwise than the options say; null where it does not. */
  other(): string | null;
  /** Whether a column of words would be one of numbers: some have a fraction, and others only more digits than a number holds. */
  areNumbers(): boolean;
  finish(): ColumnData;
}

/** Values that are no numbers, or no dates, in a column of nearly nothing else. */
export interface OddValues {
  readonly kind: "number" | "date";
  /** The first of them. */
  readonly shown: readonly { readonly text: string; readonly line: number }[];
  /** How many there are. */
  readonly count: number;
  /** How many values are of the kind. */
  readonly fitting: number;
}

export interface ColumnRules {
  readonly types: ReadonlyMap<string, ColumnKind>;
  readonly missing: ReadonlySet<string>;
  readonly readers: TextReaders;
  /** Columns that turned out to be of words when the file was read before. */
  readonly words: ReadonlySet<string>;
  /** Columns that turned out to be of numbers, for the same reason. */
  readonly numbers: ReadonlySet<string>;
}

/** The columns of a header line. */
export function columnsNamed(header: readonly string[], rules: ColumnRules): ParsedColumn[] {
  return uniqueNames(header).map((name) => {
    const kind = rules.types.get(name) ?? (rules.numbers.has(name) ? "number" : undefined);
    if (kind !== undefined) return columnOfKind(name, kind, rules);
    return rules.words.has(name) ? guessedWords(name, rules) : guessedColumn(name, rules);
  });
}

/**
 * Names as pandas makes them: a second `a` is `a.1`, or `a.2` where the line has an `a.1` itself; one without a name is
 * `Unnamed: 2`.
 */
function uniqueNames(header: readonly string[]): string[] {
  const given = header.map((name) => name.trim());
  const names = given.map((name, at) => (name === "" ? `Unnamed: ${at}` : name));
  const taken = new Set<string>();
  const places = [...names.keys()];
  // What the file names itself keeps its name.
  for (const at of [
    ...places.filter((one) => given[one] !== ""),
    ...places.filter((one) => given[one] === ""),
  ]) {
    const name = names[at]!;
    const isFree = (one: string): boolean => !taken.has(one) && (one === name || !given.includes(one));
    let unique = name;
    for (let count = 1; !isFree(unique); count++) unique = `${name}.${count}`;
    taken.add(unique);
    names[at] = unique;
  }
  return names;
}

/** `rent is a column of words: 398 values are numbers, line 17 "unknown" is not; ...` */
export function oddSentence(name: string, { kind, shown, count, fitting }: OddValues): string {
  const values = shown.map(({ text, line }) => `line ${line} ${JSON.stringify(text)}`);
  if (count > shown.length) values.push(`${count - shown.length} more`);
  const texts = [...new Set(shown.map(({ text }) => text.trim()))].map((text) => JSON.stringify(text));
  return `${name} is a column of words: ${counted(fitting, "value")} ${fitting === 1 ? `is a ${kind}` : `are ${kind}s`}, ${values.join(", ")} ${count === 1 ? "is" : "are"} not; if ${count === 1 ? "it stands for a missing value, list it" : "they stand for missing values, list them"}: missing: [${texts.join(", ")}${count > shown.length ? ", …" : ""}].`;
}

const none = { odd: () => null, other: () => null, areNumbers: () => false };

function columnOfKind(name: string, kind: ColumnKind, { missing, readers }: ColumnRules): ParsedColumn {
  if (kind === "string") {
    const words = new WordBuilder();
    const add = (text: string) => (words.add(missing.has(text) ? null : text), true);
    return { ...none, name, add, finish: () => words.finish() };
  }
  const numbers = new NumberBuilder();
  return {
    ...none,
    name,
    add(text) {
      const value = missing.has(text.trim()) ? NaN : readers.read(kind, text);
      if (value !== undefined) numbers.add(value);
      return value !== undefined;
    },
    finish: () => numbers.finish(kind),
  };
}

const SHOWN_ODD = 3;
/** A column has few odd values if at least nine in ten are of a kind. */
const FITTING_FOR_AN_ODD = 9;
/** Odd values after which a column is one of words, whatever follows in the first lines. */
const MANY_ODD = 100;

/** Counts the values of a column that are of a kind, and keeps some of the others. */
class Tally {
  readonly #kind: OddValues["kind"];
  readonly #fittingForAnOdd: number;
  readonly #shown: { text: string; line: number }[] = [];
  #count = 0;
  #fitting = 0;

  constructor(kind: OddValues["kind"], fittingForAnOdd: number) {
    this.#kind = kind;
    this.#fittingForAnOdd = fittingForAnOdd;
  }

  add(fits: boolean, text: string, line: () => number): void {
    if (fits) this.#fitting += 1;
    else if ((this.#count += 1) <= SHOWN_ODD) this.#shown.push({ text, line: line() });
  }

  get isPure(): boolean {
    return this.#count === 0;
  }

  get hasMany(): boolean {
    return this.#count > MANY_ODD && !this.#hasFew;
  }

  get #hasFew(): boolean {
    return this.#count * this.#fittingForAnOdd <= this.#fitting;
  }

  odd(): OddValues | null {
    if (this.isPure || !this.#hasFew) return null;
    return { kind: this.#kind, shown: this.#shown, count: this.#count, fitting: this.#fitting };
  }
}

/** A column of words that nobody asked for: numbers and dates are counted in it. */
function guessedWords(name: string, rules: ColumnRules): ParsedColumn {
  const column = columnOfKind(name, "string", rules);
  const numbers = new Tally("number", FITTING_FOR_AN_ODD);
  // Who says how dates are written expects some.
  const dates = new Tally("date", rules.readers.readsDates ? 1 : FITTING_FOR_AN_ODD);
  const others = new OtherWritings(rules.readers.writing);
  let wide = 0;
  let isFractional = false;
  let isOfCodes = false;
  let isOfWords = false;
  return {
    ...column,
    add(text, line) {
      if (!isOfWords && !rules.missing.has(text.trim())) {
        const form = rules.readers.formOf(text);
        isFractional ||= form === "fraction";
        // A code with a leading zero: the numbers beside it are codes, too.
        if (form === "code") isOfCodes = true;
        if (form === "wide") wide += 1;
        else numbers.add(form !== null, text, line);
        if (!dates.hasMany) dates.add(rules.readers.date(text) !== undefined, text, line);
        others.add(text);
        isOfWords = isOfCodes || (numbers.hasMany && dates.hasMany && others.areRuledOut);
      }
      return column.add(text, line);
    },
    odd: () => (isOfCodes || isOfWords ? null : ((wide > 0 ? null : numbers.odd()) ?? dates.odd())),
    other: () => (isOfCodes || isOfWords ? null : others.found(name)),
    areNumbers: () => !isOfWords && numbers.isPure && wide > 0 && isFractional,
  };
}

/** A column that takes the kind of its first value. */
function guessedColumn(name: string, rules: ColumnRules): ParsedColumn {
  const { missing, readers } = rules;
  let missed = 0;
  let column: ParsedColumn | null = null;
  let isNumber = false;
  let fits = true;
  return {
    name,
    add(text, line) {
      if (!fits) return true;
      if (column === null) {
        if (missing.has(text.trim())) {
          missed += 1;
          return true;
        }
        const kind = readers.kindOf(text);
        isNumber = kind === "number";
        column = kind === "string" ? guessedWords(name, rules) : columnOfKind(name, kind, rules);
        for (; missed > 0; missed--) column.add([...missing][0]!, line);
      }
      fits = (!isNumber || readers.isPlainNumber(text) || missing.has(text.trim())) && column.add(text, line);
      return fits;
    },
    odd: () => column?.odd() ?? null,
    other: () => column?.other() ?? null,
    areNumbers: () => column?.areNumbers() ?? false,
    finish() {
      if (column !== null) return column.finish();
      const numbers = new NumberBuilder();
      for (; missed > 0; missed--) numbers.add(NaN);
      return numbers.finish("number");
    },
  };
}
