// Compares a source with the text that was kept of it, from which secrets were left out. A stranger may have written both.
import { LEFT_OUT } from "./found.ts";
import { isHarmless, type Language, redactForReview } from "./redact.ts";

/** Whether a source is the kept text but for its secrets. Each part is looked for once. */
export function isWithSecrets(source: string, kept: string, language: Language = "cell"): boolean {
  if (source === kept) return true;
  const [first = "", ...others] = kept.split(LEFT_OUT);
  const last = others.pop();
  if (last === undefined) return false;
  const end = source.length - last.length;
  if (!source.startsWith(first) || !source.endsWith(last)) return false;
  let at = first.length;
  for (const part of others) {
    const found = source.indexOf(part, at);
    if (found < 0 || !isHarmless(source.slice(at, found))) return isSameRedacted(source, kept, language);
    at = found + part.length;
  }
  return (at <= end && isHarmless(source.slice(at, end))) || isSameRedacted(source, kept, language);
}

/** A secret may have signs that code has, as long as it lies in a literal. */
function isSameRedacted(source: string, kept: string, language: Language): boolean {
  return redactForReview(source, language).text === kept;
}
