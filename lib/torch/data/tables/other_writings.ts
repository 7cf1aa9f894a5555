// Finds how a column of words writes numbers or dates that the options do not name: with a decimal comma, a percent sign,
// days before months. The column stays as it is: whether "1,234" is more than a thousand is its owner's to say.
import { checkDateFormat } from "./date_format.ts";
import { TextReaders, type Writing } from "./kinds.ts";

/** A way to write values, and what reads them. */
interface OtherWriting {
  /** `numbers with a decimal comma` */
  readonly what: string;
  /** `read them with decimal: ","` */
  readonly advice: (name: string) => string;
  readonly fits: (text: string) => boolean;
  /** What one of the values must have. */
  readonly sign?: string;
}

interface Count {
  readonly way: OtherWriting;
  fitting: number;
  odd: number;
  hasSign: boolean;
}

/** Values that do not fit, after which a way is given up. */
const MANY = 100;
/** A column is written in a way if at least nine in ten values are. */
const FITTING_FOR_AN_ODD = 9;

/** Counts the values of a column that each way fits. */
export class OtherWritings {
  readonly #counts: Count[];

  constructor(given: Writing) {
    this.#counts = waysBeside(given).map((way) => ({
      way,
      fitting: 0,
      odd: 0,
      hasSign: way.sign === undefined,
    }));
  }

  add(value: string): void {
    const text = value.trim();
    for (const count of this.#counts) {
      if (count.odd > MANY && !isWritten(count)) continue;
      if (count.way.fits(text)) {
        count.fitting += 1;
        count.hasSign ||= text.includes(count.way.sign!);
      } else count.odd += 1;
    }
  }

  get areRuledOut(): boolean {
    return this.#counts.every((count) => count.odd > MANY && !isWritten(count));
  }

  /**
   * What is said of the column: `numbers with a decimal comma; read them with decimal: ","`. All that fit, since "1,200" may be
   * more than a thousand. Null where none does.
   */
  found(name: string): string | null {
    const ways = new Map<string, OtherWriting>();
    for (const count of this.#counts)
      if (isWritten(count) && !ways.has(count.way.what)) ways.set(count.way.what, count.way);
    const said = [...ways.values()].map(({ what, advice }) => `${what}; ${advice(name)}`);
    return said.length === 0 ? null : said.join("; or ");
  }
}

const isWritten = ({ fitting, odd, hasSign }: Count): boolean =>
  fitting > 0 && hasSign && odd * FITTING_FOR_AN_ODD <= fitting;

/** Those that fit fewer texts first. */
function waysBeside(given: Writing): OtherWriting[] {
  const { decimal = ".", thousands, dateFormat } = given;
  const own = new TextReaders(given);
  const point = new TextReaders({});
  const comma = new TextReaders({ decimal: "," });
  const numbers = (what: string, options: string, readers: TextReaders): OtherWriting => ({
    what: `numbers with ${what}`,
    advice: () => `read them with ${options}`,
    fits: (text) => readers.isPlainNumber(text),
  });
  const percent = (readers: TextReaders, dotted: string): OtherWriting => ({
    what: "numbers with a percent sign",
    advice: (name) => computed(name, dotted),
    fits: (text) => text.endsWith("%") && readers.isPlainNumber(text.slice(0, -1).trim()),
  });
  const ways = [
    percent(own, decimal === "," ? COMMA : ""),
    ...(decimal === "." ? [percent(comma, COMMA)] : []),
  ];
  if (decimal === "." && thousands === undefined)
    ways.push(
      numbers("commas between thousands", 'thousands: ","', new TextReaders({ thousands: "," })),
      numbers("a decimal comma", 'decimal: ","', comma),
      numbers(
        "a decimal comma",
        'decimal: ",", thousands: "."',
        new TextReaders({ decimal: ",", thousands: "." }),
      ),
    );
  if (thousands === undefined)
    for (const [sign, what] of decimal === "," ? [...GAPS, POINTS] : GAPS)
      for (const other of new Set([decimal, ","])) {
        const options = `${other === decimal ? "" : 'decimal: ",", '}thousands: ${shown(sign)}`;
        ways.push({ ...numbers(what, options, new TextReaders({ decimal: other, thousands: sign })), sign });
      }
  if (decimal !== ".")
    ways.push({ ...numbers("a decimal point", "", point), advice: (name) => computed(name, "") });
  for (const [format, begins] of DATE_FORMATS) {
    const reads = checkDateFormat("", "", format);
    ways.push({
      what: `dates that begin with the ${begins}`,
      // What the given format reads is no column of words: another one reads these, and no longer those.
      advice: () =>
        `${dateFormat === undefined ? "read them with" : "another format reads them,"} dateFormat: ${JSON.stringify(format)}`,
      fits: (text) => reads(text) !== undefined,
    });
  }
  return ways;
}

/** What divides thousands beside commas and points. */
const GAPS: readonly (readonly [string, string])[] = [
  [" ", "spaces between thousands"],
  ["\u00a0", "spaces between thousands"],
  ["\u202f", "spaces between thousands"],
  ["'", "apostrophes between thousands"],
  ["\u2019", "apostrophes between thousands"],
];
const POINTS = [".", "points between thousands"] as const;

/** As it is typed: a space that does not break looks like any other. */
const shown = (sign: string): string =>
  sign > "~" ? `"\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}"` : JSON.stringify(sign);

const DATE_FORMATS = (
  [
    ["%d.%m.", "day"],
    ["%d/%m/", "day"],
    ["%m/%d/", "month"],
  ] as const
).flatMap(([date, begins]) =>
  ["%Y", "%y"].flatMap((year) =>
    ["", " %H:%M", " %H:%M:%S"].map((time) => [`${date}${year}${time}`, begins] as const),
  ),
);

const COMMA = '.replace(",", ".")';

/** No option reads these: a column of the table is computed. What is missing becomes NaN. */
function computed(name: string, dotted: string): string {
  const field = JSON.stringify(name);
  return `make them with .withColumn(${field}, (row) => Number.parseFloat(String(row[${field}])${dotted}))`;
}
