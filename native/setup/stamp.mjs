// Skips a set-up step whose inputs did not change: a fingerprint of the inputs is stored beside the output.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Files below a folder (or the file itself) whose names match. */
function files(entry, pattern) {
  if (!existsSync(entry)) return [];
  if (!statSync(entry).isDirectory()) return [entry];
  return readdirSync(entry, { withFileTypes: true })
    .filter((child) => child.name !== "node_modules")
    .flatMap((child) => {
      const full = path.join(entry, child.name);
      return child.isDirectory() ? files(full, pattern) : pattern.test(child.name) ? [full] : [];
    })
    .sort();
}

/**
 * Hashes the contents of files, not their times, so that a checkout that changes only times rebuilds nothing. Reading
 * all files takes milliseconds.
 */
export function fingerprint(entries, pattern, ...facts) {
  const hash = createHash("sha256");
  for (const entry of entries) {
    for (const file of files(entry, pattern)) {
      hash
        .update(`${path.relative(path.dirname(entry), file)}\n`)
        .update(readFileSync(file))
        .update("\n");
    }
  }
  for (const fact of facts) hash.update(`${fact}\n`);
  return hash.digest("hex");
}

/** `value` as written by `writeStamp`, or null. */
export function readStamp(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

export function writeStamp(file, value) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(value)}\n`);
}
