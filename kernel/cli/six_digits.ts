// A number with at most six digits, as C's %g prints it: 0.00041, 1e-05, 0.3 for 0.1 + 0.2.

const DIGITS = 6;

export function sixDigits(value: number): string {
  const [mantissa = "", exponent = "0"] = value.toExponential(DIGITS - 1).split("e");
  if (Number(exponent) >= -4 && Number(exponent) < DIGITS) return String(Number(value.toPrecision(DIGITS)));
  return `${Number(mantissa)}e${exponent.replace(/^([-+])(\d)$/, "$10$2")}`;
}
