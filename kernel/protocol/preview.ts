// Shortens a value from outside for an error message.

const MOST = 100;

export function preview(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    // The value is nested too deeply for the stack.
    text = Array.isArray(value) ? "an array" : "an object";
  }
  return text.length > MOST ? `${text.slice(0, MOST)} ...` : text;
}
