// Reads the artifacts of a run: files that it made, with their checksums. An entry may be a stranger's.
import { isVariables } from "./fields.ts";

/** The checksum of each file; none for what is no such object. */
export function checksumsOf(artifacts: unknown): (readonly [file: string, sha256: string])[] {
  if (!isVariables(artifacts as never)) return [];
  return Object.entries(artifacts as Readonly<Record<string, unknown>>).flatMap(([file, kept]) => {
    const sha256 = (kept as { readonly sha256?: unknown } | null | undefined)?.sha256;
    return typeof sha256 === "string" ? [[file, sha256] as const] : [];
  });
}
