// Reads the part of PyTorch's samples that is kept in `samples.jsonl.gz`, as lines of JSON.
import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { folder } from "./tally.ts";

export function keptSamples(): string[] {
  const text = gunzipSync(readFileSync(path.join(folder, "samples.jsonl.gz"))).toString();
  return text.trimEnd().split("\n");
}
