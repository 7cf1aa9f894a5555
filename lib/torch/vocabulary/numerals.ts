// Formats decimal numbers as C and Python do. JavaScript differs in ties (it rounds them away from zero, C to even
// digits), in the exponent's digits, and above 1e21.

/** `%.4f`: `formatFixed(0.03125, 4)` -> `0.0312` (`toFixed` says 0.0313) */
export function formatFixed(value: number, digits: number): string {
  const sign = isNegative(value) ? "-" : "";
  const size = Math.abs(value);
  if (size >= 1e21) return sign + BigInt(size) + (digits > 0 ? `.${"0".repeat(digits)}` : "");
  const scaled = size * 2 ** (digits + 1);
  // Only odd multiples of 2^-(digits + 1) can lie halfway between two numerals.
  const tie = Number.isSafeInteger(scaled) && scaled % 2 === 1;
  return (
    sign +
    (tie ? evenOfTie(size.toFixed(digits), size.toFixed(digits + 1).slice(0, -1)) : size.toFixed(digits))
  );
}

/** `%.4e`: `1.2346e+05` */
export function formatExponential(value: number, digits: number): string {
  const sign = isNegative(value) ? "-" : "";
  const size = Math.abs(value);
  const [mantissa = "", exponent = "0"] = size.toExponential(digits).split("e");
  const [exact = "", exactExponent = ""] = size.toExponential(Math.min(100, digits + 60)).split("e");
  const point = exact.indexOf(".") + 1 + digits;
  const tie = exactExponent === exponent && /^50*$/.test(exact.slice(point));
  const chosen = tie ? evenOfTie(mantissa, exact.slice(0, point).replace(/\.$/, "")) : mantissa;
  const power = Number(exponent);
  return `${sign}${chosen}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** `repr` of a float: `0.25`, `1.0`, `1e-07`, `1e+16` */
export function pythonFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
    const power = Number(exponent);
    return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.includes(".") ? text : `${text}.0`;
}

const isNegative = (value: number) => value < 0 || Object.is(value, -0);

/** Returns the numeral with an even last digit, of the two above and below a tie. */
function evenOfTie(above: string, below: string): string {
  const lower = below.replace(/\.$/, "");
  return Number(lower.at(-1)) % 2 === 0 ? lower : above;
}
