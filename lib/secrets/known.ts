// Keeps the secrets whose values are known: those that this process was given, and those of its environment.
import { type FoundSecret } from "./found.ts";
import { isSecretName } from "./names.ts";

/** Shorter values would be found in the middle of ordinary words. */
const SHORTEST_SECRET = 8;

/** Secrets that were given to this session, under any name. */
const given = new Set<string>();

/** A secret as it is, and as an address writes it; nothing of one that is too short to be looked for. */
export function formsOf(secret: string): string[] {
  return secret.length < SHORTEST_SECRET ? [] : [secret, encodeURIComponent(secret)];
}

/** Keeps the secret out of everything written from now on. */
export function keepSecret(secret: string): void {
  for (const form of formsOf(secret)) given.add(form);
}

export function findKnown(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  const look = (value: string, kind: string) => {
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
      found.push({ start: at, end: at + value.length, kind });
  };
  for (const secret of given) look(secret, "given to the session");
  for (const [name, value] of Object.entries(process.env))
    if (value !== undefined && value.length >= SHORTEST_SECRET && isSecretName(name))
      look(value, "value of a variable");
  return found;
}
