// Headers of PyTorch in a Metal source: Metal's compiler is given one text, so they are written into it, each once
// (torch/utils/_cpp_embed_headers.py). Its own headers, as metal_stdlib, stay named. Knows no kernel.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { native } from "../../native.ts";

const INCLUDE = /^\s*#\s*include\s*[<"]([^>"]+)[>"]/;

/** @param folder where headers are looked for: libtorch's `include` */
export function embedHeaders(
  source: string,
  folder = path.join(native.libtorchFolder(), "..", "include"),
): string {
  const embedded = new Set<string>();
  const embed = (text: string, from: string): string =>
    text
      .split("\n")
      .map((line) => {
        const header = INCLUDE.exec(line)?.[1];
        const file =
          header === undefined
            ? undefined
            : [from, folder].map((base) => path.join(base, header)).find((one) => existsSync(one));
        if (file === undefined) return /^\s*#\s*pragma once/.test(line) ? "" : line;
        if (embedded.has(file)) return "";
        embedded.add(file);
        return embed(readFileSync(file, "utf8"), path.dirname(file));
      })
      .join("\n");
  return embed(source, folder);
}
