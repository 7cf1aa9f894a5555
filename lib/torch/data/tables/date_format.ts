// Reads dates of a format in the signs of `strptime`, as pandas' `date_format` has them.
import { checkText, describe } from "../../vocabulary/arguments.ts";

/** Milliseconds since 1970 of a date in UTC; undefined for a text of another form, and for a day that no month has. */
export type DateReader = (text: string) => number | undefined;

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const FULL_MONTHS =
  "january february march april may june july august september october november december".split(" ");

const SIGNS: Readonly<Record<string, string>> = {
  Y: String.raw`(?<Y>\d{4})`,
  y: String.raw`(?<y>\d{2})`,
  m: String.raw`(?<m>\d{1,2})`,
  b: `(?<b>${MONTHS.join("|")})`,
  B: `(?<B>${FULL_MONTHS.join("|")})`,
  d: String.raw`(?<d>\d{1,2})`,
  H: String.raw`(?<H>\d{1,2})`,
  I: String.raw`(?<I>\d{1,2})`,
  M: String.raw`(?<M>\d{1,2})`,
  S: String.raw`(?<S>\d{1,2})`,
  f: String.raw`(?<f>\d{1,9})`,
  p: "(?<p>am|pm)",
  "%": "%",
};

/** @throws RangeError for a sign that is none, one that occurs twice, and a format without a year */
export function checkDateFormat(call: string, name: string, value: unknown): DateReader {
  const format = checkText(call, name, value);
  const seen = new Set<string>();
  const pattern = format.replaceAll(/%(.?)|[.*+?()[\]{}|^$\\]/g, (part, sign: string | undefined) => {
    if (sign === undefined) return `\\${part}`;
    const known = SIGNS[sign];
    if (known === undefined || seen.has(sign))
      throw new RangeError(
        `${call}: ${name} has ${known === undefined ? "the sign" : "twice the sign"} ${describe(part)}; it may have each of ${Object.keys(
          SIGNS,
        )
          .map((one) => `%${one}`)
          .join(" ")} once.`,
      );
    if (sign !== "%") seen.add(sign);
    return known;
  });
  if (!seen.has("Y") && !seen.has("y"))
    throw new RangeError(`${call}: ${name} must name the year, as "%d.%m.%Y" does, got ${describe(value)}.`);
  const whole = new RegExp(`^${pattern}$`, "i");
  return (text) => {
    const found = whole.exec(text)?.groups;
    return found === undefined ? undefined : timeOf(found);
  };
}

function timeOf(found: Readonly<Record<string, string | undefined>>): number | undefined {
  const part = (sign: string, fallback: number): number => Number(found[sign] ?? fallback);
  const short = part("y", 0);
  // POSIX: 69 to 99 are of the 20th century.
  const year = found["Y"] === undefined ? short + (short < 69 ? 2000 : 1900) : part("Y", 0);
  const named = found["b"] ?? found["B"];
  const month = named === undefined ? part("m", 1) : MONTHS.indexOf(named.slice(0, 3).toLowerCase()) + 1;
  const day = part("d", 1);
  const half = found["p"]?.toLowerCase();
  const hour = found["I"] === undefined ? part("H", 0) : (part("I", 12) % 12) + (half === "pm" ? 12 : 0);
  const [minute, second] = [part("M", 0), part("S", 0)];
  const milliseconds = Math.trunc(Number((found["f"] ?? "").padEnd(3, "0").slice(0, 3)));
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  time.setUTCHours(hour, minute, second, milliseconds);
  const isWhole =
    time.getUTCMonth() === month - 1 &&
    time.getUTCDate() === day &&
    time.getUTCHours() === hour &&
    time.getUTCMinutes() === minute &&
    time.getUTCSeconds() === second &&
    part("I", 1) <= 12;
  return isWhole ? time.getTime() : undefined;
}
