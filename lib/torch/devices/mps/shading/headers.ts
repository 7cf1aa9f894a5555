// Inlines PyTorch's headers into a Metal source, each once, because Metal's compiler gets one text. Line markers keep
// the numbers of the lines (torch/utils/_cpp_embed_headers.py). Metal's own headers, such as metal_stdlib, stay
// includes.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { native } from "../../../engine/native.ts";

const INCLUDE = /^\s*#\s*include\s*[<"]([^>"]+)[>"]/;

/**
 * @param name the name of the source in the compiler's messages
 * @param folder the folder of the headers: libtorch's `include`
 */
export function embedHeaders(
  source: string,
  name: string,
  folder = path.join(native.libtorchFolder(), "..", "include"),
): string {
  const embedded = new Set<string>();
  const embed = (text: string, own: string, from: string): string =>
    text
      .split("\n")
      .map((line, i) => {
        const header = INCLUDE.exec(line)?.[1];
        const file =
          header === undefined
            ? undefined
            : [from, folder].map((base) => path.join(base, header)).find((one) => existsSync(one));
        if (file === undefined) return /^\s*#\s*pragma once/.test(line) ? "" : line;
        if (embedded.has(file)) return "";
        embedded.add(file);
        const inside = embed(readFileSync(file, "utf8"), header!, path.dirname(file));
        return `#line 1 "${header}"\n${inside}\n#line ${i + 2} "${own}"`;
      })
      .join("\n");
  return embed(source, name, folder);
}
