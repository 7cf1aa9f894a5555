// What a person keeps beside a run: tags by which it is found again, and the files that it made, with their checksums.
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import type { RunEntry } from "../../records/logbook/entry.ts";
import { sha256Of } from "../../records/logbook/origin.ts";
import { checkList, checkText, describe, isRecord } from "../../torch/vocabulary/arguments.ts";

/** @throws TypeError for tags that are no texts, RangeError for a file that does not exist */
export function tagsAndArtifacts(
  call: string,
  { tags, artifacts }: { readonly tags?: unknown; readonly artifacts?: unknown },
): Pick<RunEntry, "tags" | "artifacts"> {
  return {
    ...(tags !== undefined && { tags: checkedTags(call, tags) }),
    ...(artifacts !== undefined && { artifacts: checksums(call, artifacts) }),
  };
}

function checkedTags(call: string, tags: unknown): Readonly<Record<string, string>> {
  if (!isRecord(tags))
    throw new TypeError(`${call}: tags must be named, as { stage: "baseline" }, got ${describe(tags)}.`);
  return Object.fromEntries(
    Object.entries(tags).map(([name, text]) => [name, checkText(call, `tags.${name}`, text)]),
  );
}

function checksums(call: string, artifacts: unknown): NonNullable<RunEntry["artifacts"]> {
  const files = checkList(call, "artifacts", artifacts as readonly unknown[]);
  return Object.fromEntries(
    files.map((given, at) => {
      const file = checkText(call, `artifacts[${at}]`, given);
      const sha256 = sha256Of(path.resolve(file));
      if (sha256 !== null) return [file, { sha256, bytes: statSync(path.resolve(file)).size }];
      const what = existsSync(path.resolve(file)) ? "that is no file" : "there is no such file";
      throw new RangeError(
        `${call}: artifacts[${at}] is ${describe(file)}, and ${what} in ${process.cwd()}; save it before the run is recorded.`,
      );
    }),
  );
}
