// Reads CSV into a table: finds the file's delimiter and the kind of each column. Papa Parse finds fields and quotes.
//
// A column has the kind of its first value. Where a later value does not fit, the column is one of words, and the
// text is read once more: the numbers before would have lost how they were written.
import papa from "papaparse";
import { checkInteger, checkList, checkText, describe, isRecord } from "../../vocabulary/arguments.ts";
import { type OpenRules, optional, type Read, readOptions, type Rule } from "../../vocabulary/options.ts";
import { type SizeLimit, sizeLimit, tooLarge } from "../../../size_limit.ts";
import { Column } from "./column.ts";
import { contentsOf, type CsvContents } from "./csv_source.ts";
import { type ColumnData, NumberBuilder, WordBuilder } from "./column_data.ts";
import {
  COLUMN_KINDS,
  type ColumnKind,
  isPlainNumber,
  kindOfText,
  MISSING_TEXTS,
  READERS,
  type ValueOfKind,
} from "./kinds.ts";

import { type AnyRow, Table } from "./table.ts";

export interface CsvOptions<Types extends Readonly<Record<string, ColumnKind>> = Record<never, ColumnKind>> {
  /** The character between fields. Default: the one of `,` `;` tab and `|` that divides the first lines evenly. */
  readonly delimiter?: string;
  /** The names of the columns, for a file whose first line is a record already. Default: the first line. */
  readonly header?: readonly string[];
  /** Kinds of columns by name, `{ zip: "string" }`. Default: see `data.readCsv`. */
  readonly types?: Types;
  /** Texts that stand for a missing value. Default: pandas' list: empty, NA, NaN, null, None and some more. */
  readonly missing?: readonly string[];
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

const RULES = {
  delimiter: optional((call, name, value) => {
    const given = checkText(call, name, value);
    if (given.length === 1 && !papa.BAD_DELIMITERS.includes(given)) return given;
    throw new RangeError(`${call}: ${name} must be one character as ";", got ${describe(value)}.`);
  }),
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
 * written, as `007` or one of 17 digits, are words too. `types` overrides this.
 *
 * @throws RangeError for a line of another length than the first, a quote that is not closed, and a value that is not of
 *   the kind in `types`
 */
export function readCsv<const Types extends Readonly<Record<string, ColumnKind>> = Record<never, ColumnKind>>(
  source: string | URL | Uint8Array,
  options?: CsvOptions<Types>,
): Table<RowOf<Types>> {
  const read = readOptions(CALL, options, RULES);
  const limit = sizeLimit(read.maxBytes);
  const contents = contentsOf(CALL, source, read.encoding, limit);
  requireFewFields(contents, limit);
  const types = new Map(Object.entries(read.types ?? {}));
  let pass = parse(contents, read, types);
  if (pass.mixed.length > 0) {
    const words = pass.mixed.map((name) => [name, "string"] as const);
    pass = parse(contents, { ...read, delimiter: pass.delimiter }, new Map([...words, ...types]));
  }
  for (const name of types.keys())
    if (!pass.columns.some((column) => column.name === name))
      throw new RangeError(
        `${CALL}: types names a column ${JSON.stringify(name)}, and ${contents.name} has ${pass.columns.map((column) => column.name).join(", ")}.`,
      );
  return new Table(pass.columns.map(({ name, finish }) => new Column(name, finish())));
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

const DELIMITERS: ReadonlySet<number> = new Set([..."\t,;|"].map((one) => one.charCodeAt(0)));

interface ParsedColumn {
  readonly name: string;
  /** False for a text that is not of the column's kind. */
  add(text: string): boolean;
  finish(): ColumnData;
}

interface Pass {
  readonly columns: readonly ParsedColumn[];
  readonly delimiter: string;
  /** Columns whose values turned out to be of several kinds. */
  readonly mixed: readonly string[];
}

/** One pass over the text. */
function parse(
  { name: file, text }: CsvContents,
  { delimiter, header, missing = MISSING_TEXTS, comment, rows = Infinity }: ReadCsvOptions,
  types: ReadonlyMap<string, ColumnKind>,
): Pass {
  const isMissing = new Set(missing);
  let columns = header === undefined ? null : columnsNamed(header, types, isMissing);
  let found = delimiter ?? ",";
  let count = 0;
  const mixed = new Set<ParsedColumn>();
  papa.parse<string[]>(text, {
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(comment === undefined ? {} : { comments: comment }),
    skipEmptyLines: true,
    step({ data: fields, errors, meta }, parser) {
      const at = () => `${file}, line ${firstLineOf(fields, text.slice(0, meta.cursor))}`;
      const quotes = errors.find(({ type }) => type === "Quotes");
      if (quotes !== undefined) throw new RangeError(`${CALL}: ${at()}: ${quoteProblem(quotes.code)}.`);
      found = meta.delimiter;
      if (columns === null) {
        columns = columnsNamed(fields, types, isMissing);
        return;
      }
      if (count === rows) return parser.abort();
      if (fields.length !== columns.length)
        throw new RangeError(
          `${CALL}: ${at()} has ${fieldsText(fields.length)}, and there ${columns.length === 1 ? "is 1 column" : `are ${columns.length} columns`}; a field that holds ${JSON.stringify(found)} must stand in double quotes.`,
        );
      count += 1;
      for (const [index, column] of columns.entries()) {
        if (column.add(fields[index]!)) continue;
        const kind = types.get(column.name);
        if (kind !== undefined)
          throw new RangeError(
            `${CALL}: ${at()}: ${JSON.stringify(fields[index])} in the column ${column.name} is no ${kind}; list it in missing, or take types: { ${JSON.stringify(column.name)}: "string" }.`,
          );
        mixed.add(column);
      }
    },
  });
  return { columns: columns ?? [], delimiter: found, mixed: [...mixed].map(({ name }) => name) };
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

/** The names of a header line as pandas makes them: a second `a` is `a.1`, one without a name `Unnamed: 2`. */
function columnsNamed(
  header: readonly string[],
  types: ReadonlyMap<string, ColumnKind>,
  missing: ReadonlySet<string>,
): ParsedColumn[] {
  const taken = new Map<string, number>();
  return header.map((given, at) => {
    const name = given.trim() === "" ? `Unnamed: ${at}` : given.trim();
    const before = taken.get(name) ?? 0;
    taken.set(name, before + 1);
    const unique = before === 0 ? name : `${name}.${before}`;
    const kind = types.get(unique);
    return kind === undefined ? guessedColumn(unique, missing) : columnOfKind(unique, kind, missing);
  });
}

function columnOfKind(name: string, kind: ColumnKind, missing: ReadonlySet<string>): ParsedColumn {
  if (kind === "string") {
    const words = new WordBuilder();
    const add = (text: string) => (words.add(missing.has(text) ? null : text), true);
    return { name, add, finish: () => words.finish() };
  }
  const numbers = new NumberBuilder();
  const read = READERS[kind];
  return {
    name,
    add(text) {
      const value = missing.has(text.trim()) ? NaN : read(text);
      if (value !== undefined) numbers.add(value);
      return value !== undefined;
    },
    finish: () => numbers.finish(kind),
  };
}

/** A column that takes the kind of its first value. */
function guessedColumn(name: string, missing: ReadonlySet<string>): ParsedColumn {
  let missed = 0;
  let column: ParsedColumn | null = null;
  let isNumber = false;
  let fits = true;
  return {
    name,
    add(text) {
      if (!fits) return true;
      if (column === null) {
        if (missing.has(text.trim())) {
          missed += 1;
          return true;
        }
        const kind = kindOfText(text);
        isNumber = kind === "number";
        column = columnOfKind(name, kind, missing);
        for (; missed > 0; missed--) column.add([...missing][0]!);
      }
      fits = (!isNumber || isPlainNumber(text) || missing.has(text.trim())) && column.add(text);
      return fits;
    },
    finish() {
      if (column !== null) return column.finish();
      const numbers = new NumberBuilder();
      for (; missed > 0; missed--) numbers.add(NaN);
      return numbers.finish("number");
    },
  };
}
