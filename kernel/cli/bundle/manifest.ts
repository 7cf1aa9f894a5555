// Declares the contents of `bundle.json`, a bundle's manifest, and reads it. A bundle is a folder that is handed over
// to another machine: a logbook with one run, the files of that run, and checksums that show whether they arrived
// undamaged.
import { existsSync, readFileSync } from "node:fs";
import { join, normalize, isAbsolute } from "node:path";
import { sha256Of } from "../../../lib/records/logbook/origin.ts";
import { CommandError } from "../project.ts";

export const MANIFEST = "bundle.json";
export const LOGBOOK = "run.logbook.jsonl";
const FORMAT = 1;

export interface BundledDataset {
  /** The path or name that the run recorded. */
  readonly name: string;
  readonly sha256: string | null;
  /** The path of the copy in the bundle; null if there is none, so that the other machine needs its own. */
  readonly snapshot: string | null;
}

export interface Bundle {
  readonly format: typeof FORMAT;
  /** The run's id. */
  readonly run: string;
  /** The notebook with its outputs; null where there is none. */
  readonly notebook: string | null;
  readonly lockFile: string | null;
  readonly dataset: BundledDataset | null;
  /** JSON schema of a profile among the run's results. */
  readonly profileSchema: string;
  /** The golden command, by the service that starts it. */
  readonly commands: Readonly<Record<"plain" | "launchd" | "systemd", string>>;
  /** Seconds that the smoke window may take. */
  readonly smokeSeconds: number;
  /** Checksums of all files but this one, by their path in the bundle. */
  readonly files: Readonly<Record<string, string>>;
}

export const bundleOf = (parts: Omit<Bundle, "format">): Bundle => ({ format: FORMAT, ...parts });

/** @throws CommandError for what is no bundle, and for a file that is missing or damaged */
export function readBundle(folder: string): Bundle {
  const file = join(folder, MANIFEST);
  if (!existsSync(file))
    throw new CommandError(`${folder} is no bundle, as it has no ${MANIFEST}: mpslab bundle ID makes one.`);
  const bundle = parsed(file);
  for (const [name, sha256] of Object.entries(bundle.files)) {
    if (isAbsolute(name) || normalize(name).startsWith(".."))
      throw new CommandError(`${file} names ${name}, which lies outside of the bundle: it is refused.`);
    const found = sha256Of(join(folder, name));
    if (found === sha256) continue;
    throw new CommandError(
      `${join(folder, name)} ${found === null ? "is missing" : "is damaged"}: copy the whole bundle again.`,
    );
  }
  return bundle;
}

function parsed(file: string): Bundle {
  let found: Partial<Bundle> | null = null;
  try {
    found = JSON.parse(readFileSync(file, "utf8")) as Partial<Bundle> | null;
  } catch {
    // Reported by the error below.
  }
  if (found?.format !== FORMAT || typeof found.run !== "string" || typeof found.files !== "object")
    throw new CommandError(`${file} is not of a bundle that this version reads (format ${FORMAT}).`);
  return found as Bundle;
}
