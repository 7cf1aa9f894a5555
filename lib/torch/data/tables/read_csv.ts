// Reads CSV into a table: finds the file's delimiter and the kind of each column. Papa Parse finds fields and quotes.
//
// A column has the kind of its first value. Where a later value does not fit, the column is one of words, and the
// text is read once more: the numbers before would have lost how they were written.
import papa from "papaparse";
import { checkInteger, checkList, checkText, describe, isRecord } from "../../vocabulary/arguments.ts";
import {
  boolean,
  type OpenRules,
  optional,
  type Read,
  readOptions,
  type Rule,
} from "../../vocabulary/options.ts";
import { type SizeLimit, sizeLimit, tooLarge } from "../../../size_limit.ts";
import { listed } from "../../../words.ts";
import { Column } from "./column.ts";
import { OtherWritings } from "./other_writings.ts";
import { type ColumnRules, columnsNamed, oddSentence, type ParsedColumn } from "./csv_columns.ts";
import { contentsOf, type CsvContents } from "./csv_source.ts";
import { checkDateFormat } from "./date_format.ts";
import { COLUMN_KINDS, type ColumnKind, MISSING_TEXTS, TextReaders, type ValueOfKind } from "./kinds.ts";
import type { AnyRow } from "./row.ts";
import { Table } from "./table.ts";

export interface CsvOptions<Types extends Readonly<Record<string, ColumnKind>> = Record<never, ColumnKind>> {
  /** The character between fields. Default: the one of `,` `;` tab and `|` that divides the first lines evenly. */
  readonly delimiter?: string;
  /** The names of the columns, for a file whose first line is a record already. Default: the first line. */
  readonly header?: readonly string[];
  /** Kinds of columns by name, `{ zip: "string" }`. Default: see `data.readCsv`. */
  readonly types?: Types;
  /**
   * More texts that stand for a missing value, beside pandas' list: empty, NA, NaN, null, None and some more. Default:
   * none.
   */
  readonly missing?: readonly string[];
  /** Whether the texts of pandas' list stand for a missing value. Default: true. */
  readonly defaultMissing?: boolean;
  /** The decimal sign of numbers: `","` of `3,5`. Default: ".". */
  readonly decimal?: string;
  /** What divides the thousands of numbers: `"."` of `1.200,5`. Default: nothing does. */
  readonly thousands?: string;
  /** How dates are written, beside ISO 8601, in the signs of `strptime`: `"%d.%m.%Y"`. Default: only ISO 8601. */
  readonly dateFormat?: string;
  /** Lines that begin with it are left out. Default: none are. */
  readonly comment?: string;
  /** Read the first rows only. Default: all. */
  readonly rows?: number;
  /** How the file's bytes are text, as `TextDecoder` names it. Default: "utf-8", or what a byte order mark says. */
  readonly encoding?: string;
  /** The most bytes that the text and the table may take. Default: `MPSLAB_MAX_BYTES`, else half of the memory that is free. */
  readonly maxBytes?: number;
}

/** The records that options with `types` describe: columns that are not named in them are `any`. */
export type RowOf<Types extends Readonly<Record<string, ColumnKind>>> = {
  [Name in keyof Types & string]: ValueOfKind[Types[Name]];
} & AnyRow;

const text: Rule<string | undefined> = optional(checkText);
const texts = (call: string, name: string, value: unknown): readonly string[] => {
  const list = checkList(call, name, value as readonly unknown[]);
  list.forEach((one, at) => checkText(call, `${name}[${at}]`, one));
  return list as readonly string[];
};

const oneCharacter = (call: string, name: string, value: unknown): string => {
  const given = checkText(call, name, value);
  if (given.length === 1 && !papa.BAD_DELIMITERS.includes(given)) return given;
  throw new RangeError(`${call}: ${name} must be one character as ";", got ${describe(value)}.`);
};

const RULES = {
  delimiter: optional(oneCharacter),
  header: optional(texts),
  types: optional((call, name, value) => {
    if (!isRecord(value))
      throw new TypeError(`${call}: ${name} must be an object as { age: "number" }, got ${describe(value)}.`);
    for (const [column, kind] of Object.entries(value))
      if (!(COLUMN_KINDS as readonly unknown[]).includes(kind))
        throw new TypeError(
          `${call}: ${name}.${column} must be one of ${COLUMN_KINDS.map((one) => JSON.stringify(one)).join(", ")}, got ${describe(kind)}.`,
        );
    return value as Readonly<Record<string, ColumnKind>>;
  }),
  missing: optional(texts),
  defaultMissing: boolean(true),
  decimal: optional(oneCharacter),
  thousands: optional(oneCharacter),
  dateFormat: optional(checkDateFormat),
  comment: text,
  rows: optional((call, name, value) => checkInteger(call, name, value, 0)),
  encoding: text,
  maxBytes: optional((call, name, value) => checkInteger(call, name, value, 1)),
} satisfies OpenRules<CsvOptions>;

type ReadCsvOptions = Read<typeof RULES>;

const CALL = "data.readCsv";

/**
 * A table of a CSV file, gzipped or not; of text that holds a line break; or of bytes. Quotes are those of RFC 4180.
 *
 * A column whose values are all numbers is one of numbers; all `true` and `false`, of booleans; all dates of ISO 8601
 * (`2024-05-01`, `2024-05-01T12:30:00Z`), of dates; any other is one of words. Numbers that would not stay as they are
 * written, as `007` or one of 17 digits, are words too. `types` overrides this. A column of words of which at least nine in
 * ten values are numbers, or dates, is named in a warning, with the lines of the others; where `dateFormat` is given, one of
 * which half are dates. One of numbers or dates that are written in another way, as with a decimal comma, is named with the
 * option that reads them.
 *
 * @throws RangeError for a line of another length than the first, a quote that is not closed, and a value that is not of
 *   the kind in `types`
 */
export function readCsv<const Types extends Readonly<Record<string, ColumnKind>> = Record<never, ColumnKind>>(
  source: string | URL | Uint8Array,
  options?: CsvOptions<Types>,
): Table<RowOf<Types>> {
  const read = readOptions(CALL, options, RULES);
  const { decimal = ".", thousands } = read;
  if (decimal === thousands)
    throw new RangeError(
      `${CALL}: decimal and thousands are both ${describe(decimal)}; 1.234,5 is read with decimal: ",", thousands: ".", and 1,234.5 with thousands: ",".`,
    );
  const limit = sizeLimit(read.maxBytes);
  const contents = contentsOf(CALL, source, read.encoding, limit);
  requireFewFields(contents, limit);
  const types = new Map(Object.entries(read.types ?? {}));
  const readers = new TextReaders(read);
  const missing = new Set([...(read.missing ?? []), ...(read.defaultMissing ? MISSING_TEXTS : [])]);
  const none: ReadonlySet<string> = new Set();
  const known = { types, missing, readers };
  let pass = parse(contents, read, { ...known, words: none, numbers: none });
  const again = (words: readonly string[], numbers: readonly string[]): void => {
    const found = { words: new Set(words), numbers: new Set(numbers) };
    pass = parse(contents, { ...read, delimiter: pass.delimiter }, { ...known, ...found });
  };
  const words = pass.mixed;
  if (words.length > 0) again(words, []);
  const numbers = pass.columns.filter((column) => column.areNumbers()).map(({ name }) => name);
  if (numbers.length > 0) again(words, numbers);
  for (const name of types.keys())
    if (!pass.columns.some((column) => column.name === name))
      throw new RangeError(
        `${CALL}: types names a column ${JSON.stringify(name)}, and ${contents.name} has ${pass.columns.map((column) => column.name).join(", ")}.`,
      );
  for (const sentence of [...undivided(contents.text, pass, read), ...sentencesAbout(pass.columns)])
    process.emitWarning(`${CALL}: ${contents.name}: ${sentence}`);
  return new Table(pass.columns.map(({ name, finish }) => new Column(name, finish())));
}

/** Lines from which it is seen that another delimiter divides them. */
const LOOKED_AT = 20;

/** What is said of a file whose lines another character divides than the one that was taken. */
function undivided(text: string, { columns, delimiter }: Pass, given: ReadCsvOptions): string[] {
  if (columns.length !== 1) return [];
  const lines = text.split(/\r\n|\r|\n/, LOOKED_AT).filter((line) => line !== "");
  const below = given.header === undefined ? lines.slice(1) : lines;
  const parts = (line: string, sign: string): number => line.split(sign).length;
  const sign = GUESSED.find(
    (one) =>
      one !== delimiter &&
      one !== given.decimal &&
      below.length > 0 &&
      !below.some((line) => line.includes(`${one} `)) &&
      parts(below[0]!, one) > 1 &&
      below.every((line) => parts(line, one) === parts(below[0]!, one)),
  );
  if (sign === undefined) return [];
  const isHeader = parts(lines[0]!, sign) === parts(below[0]!, sign);
  const advice = isHeader
    ? `if it divides them, take delimiter: ${JSON.stringify(sign)}`
    : `if it divides them, ${aboveTheTable(lines[0]!)}`;
  return [`there is one column, and each of its lines has ${JSON.stringify(sign)}; ${advice}.`];
}

/** What takes off a line that stands above the names of the columns. */
function aboveTheTable(line: string): string {
  const sign = /^\s*(#|%|\/\/|!)/.exec(line)?.[1];
  return sign === undefined
    ? "take off the lines above the names of the columns, or name them with comment"
    : `and the first line is a comment, take comment: ${JSON.stringify(sign)}`;
}

/** What is said of columns of words that are nearly of another kind, or written in another way. */
function sentencesAbout(columns: readonly ParsedColumn[]): string[] {
  const sentences: string[] = [];
  const written = new Map<string, string[]>();
  for (const column of columns) {
    const odd = column.odd();
    const other = odd === null ? column.other() : null;
    if (odd !== null) sentences.push(oddSentence(column.name, odd));
    if (other !== null) written.set(other, [...(written.get(other) ?? []), column.name]);
  }
  // What more options read, fewer do not: one sentence says those that read all.
  for (const [other, names] of written) {
    const more = [...written.keys()].find((one) => one.startsWith(`${other}, thousands`));
    if (more === undefined) continue;
    const both = new Set([...names, ...written.get(more)!]);
    written.set(
      more,
      columns.flatMap(({ name }) => (both.has(name) ? [name] : [])),
    );
    written.delete(other);
  }
  for (const [other, names] of written)
    sentences.push(
      `${listed(names)} ${names.length === 1 ? "is a column" : "are columns"} of words, which are ${other}.`,
    );
  return sentences;
}

/** What a column takes at least; measured with V8 11. */
const BYTES_OF_COLUMN = 1_000;
/** Shorter lines have too few fields to matter. */
const LONG_LINE = 1_000_000;

/** A text of some megabytes may be one line of as many fields: each would be a column. */
function requireFewFields({ name, text }: CsvContents, limit: SizeLimit): void {
  for (let begin = 0, end = 0; begin < text.length; begin = end + 1) {
    end = text.indexOf("\n", begin);
    if (end < 0) end = text.length;
    if (end - begin < LONG_LINE) continue;
    let fields = 1;
    for (let at = begin; at < end; at += 1) if (DELIMITERS.has(text.charCodeAt(at))) fields += 1;
    if (fields * BYTES_OF_COLUMN > limit.bytes)
      throw tooLarge(
        CALL,
        `${name} has a line of ${fields.toLocaleString("en-US")} fields, as columns they take`,
        limit,
      );
  }
}

const GUESSED = [",", "\t", "|", ";"];
const DELIMITERS: ReadonlySet<number> = new Set(GUESSED.map((one) => one.charCodeAt(0)));

interface Pass {
  readonly columns: readonly ParsedColumn[];
  readonly delimiter: string;
  /** Columns whose values turned out to be of several kinds. */
  readonly mixed: readonly string[];
}

/** One pass over the text. An error's stack says nothing of the parser, which calls what finds the error. */
function parse(contents: CsvContents, options: ReadCsvOptions, rules: ColumnRules): Pass {
  try {
    return parsed(contents, options, rules);
  } catch (error) {
    if (error instanceof RangeError) Error.captureStackTrace(error, parse);
    throw error;
  }
}

function parsed(
  { name: file, text }: CsvContents,
  { delimiter, header, decimal, comment, rows = Infinity }: ReadCsvOptions,
  rules: ColumnRules,
): Pass {
  const { types } = rules;
  let columns = header === undefined ? null : columnsNamed(header, rules);
  let found = delimiter ?? ",";
  let count = 0;
  const mixed = new Set<ParsedColumn>();
  papa.parse<string[]>(text, {
    ...(delimiter === undefined ? oneColumn(text, decimal) : { delimiter }),
    ...(decimal === undefined ? {} : { delimitersToGuess: GUESSED.filter((one) => one !== decimal) }),
    ...(comment === undefined ? {} : { comments: comment }),
    skipEmptyLines: true,
    step({ data: fields, errors, meta }, parser) {
      const line = () => firstLineOf(fields, text.slice(0, meta.cursor));
      const at = () => `${file}, line ${line()}`;
      const quotes = errors.find(({ type }) => type === "Quotes");
      if (quotes !== undefined) throw new RangeError(`${CALL}: ${at()}: ${quoteProblem(quotes.code)}.`);
      found = meta.delimiter;
      if (columns === null) {
        columns = columnsNamed(fields, rules);
        return;
      }
      if (count === rows) return parser.abort();
      if (fields.length !== columns.length)
        throw new RangeError(
          `${CALL}: ${at()} has ${fieldsText(fields.length)}, and there ${columns.length === 1 ? "is 1 column" : `are ${columns.length} columns`}; ${lengthAdvice(fields, columns.length, found, header !== undefined)}.`,
        );
      count += 1;
      for (const [index, column] of columns.entries()) {
        if (column.add(fields[index]!, line)) continue;
        const kind = types.get(column.name);
        if (kind !== undefined)
          throw new RangeError(
            `${CALL}: ${at()}: ${JSON.stringify(fields[index])} in the column ${column.name} is no ${kind}; ${kindAdvice(fields[index]!, kind, column.name, rules)}.`,
          );
        mixed.add(column);
      }
    },
  });
  return { columns: columns ?? [], delimiter: found, mixed: [...mixed].map(({ name }) => name) };
}

/** Where the comma is a decimal sign, and the names are one: nothing divides the lines, which Papa Parse takes for a comma. */
function oneColumn(text: string, decimal: string | undefined): { readonly delimiter?: string } {
  const names = /^\s*([^\r\n]*)/.exec(text)![1]!;
  return decimal === "," && !GUESSED.some((sign) => names.includes(sign)) ? { delimiter: ";" } : {};
}

/** What mends a value that is not of the kind which its column was told to have. */
function kindAdvice(value: string, kind: ColumnKind, column: string, { readers }: ColumnRules): string {
  const others = new OtherWritings(readers.writing);
  others.add(value);
  const other = others.found(column);
  if (other?.startsWith(`${kind}s `) === true) return `it may be one of ${other}`;
  return `list it in missing, or take types: { ${JSON.stringify(column)}: "string" }`;
}

/** What mends a line of another length. */
function lengthAdvice(
  fields: readonly string[],
  columns: number,
  delimiter: string,
  isNamed: boolean,
): string {
  const sign = /^\s*(#|%|\/\/|!)/.exec(fields[0]!)?.[1];
  if (sign !== undefined) return `if it is a comment, take comment: ${JSON.stringify(sign)}`;
  if (isNamed) return "header names each column";
  if (columns === 1 && delimiter === "," && /^\s*[-+]?[\d.]+,\d+(?:\D*)$/.test(fields.join(",")))
    return 'if its comma is a decimal sign, take decimal: ","';
  if (fields.length > columns && columns > 1)
    return `a field that holds ${JSON.stringify(delimiter)} must stand in double quotes, and each column must have a name in the first line`;
  return columns === 1
    ? "if the lines above the first record are no table, take them off, or name them with comment"
    : "a missing value still has its delimiter";
}

const fieldsText = (count: number): string => (count === 1 ? "1 field" : `${count} fields`);

function quoteProblem(code: string): string {
  return code === "MissingQuotes"
    ? "a double quote opens a field and is never closed"
    : 'a field in double quotes goes on behind them; a quote inside of one is written twice, as ""';
}

/** The line, counted from 1, on which a record begins. `read` is the text up to its end. */
function firstLineOf(fields: readonly string[], read: string): number {
  const endsWithBreak = (text: string) => /[\r\n]$/.test(text);
  // A quote that is not closed takes the last line break into its field.
  const ended = endsWithBreak(read) && !endsWithBreak(fields.at(-1)!) ? 1 : 0;
  return 1 + lineBreaks(read) - lineBreaks(fields.join(" ")) - ended;
}

const lineBreaks = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0;
