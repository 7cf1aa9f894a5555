// One room knows on which system this runs, and one file of set-up, which runs before anything is installed: everything
// else asks them, so that tests can rehearse a Mac on Linux.
import { expect, it } from "vitest";
import { readFileSync } from "node:fs";
import path from "node:path";
import { filesOf, root } from "./sources.ts";

const ASKS =
  /\bprocess\s*\.\s*(platform|arch)\b|\bos\.(platform|arch|type|machine|release|version)\(|\b(platform|arch|type|machine|release|version)\b[^;]*\} from "node:os"/;

const MAY_ASK = ["lib/platform/system.ts", "native/setup/platform.mjs"];

const askers = (text: string): boolean => {
  const code = text.replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, "");
  return ASKS.test(code);
};

it("nobody else asks for the system or the processor", () => {
  const files = filesOf("kernel", "lib", "native").filter((file) => /\.(ts|mjs)$/.test(file));
  const found = files.filter((file) => askers(readFileSync(path.join(root, file), "utf8")));
  expect(found.toSorted()).toEqual(MAY_ASK);
});

it.each([
  'if (process.platform === "darwin") return null;',
  "const name = `${process.arch}`;",
  "return os.release();",
  'import { cpus, platform } from "node:os";',
])("%s asks", (line) => {
  expect(askers(line)).toBe(true);
});

it.each([
  "// as in `process.platform`",
  "const { platform } = computer();",
  'import { cpus } from "node:os";',
])("%s does not", (line) => {
  expect(askers(line)).toBe(false);
});

it("no two files have names that differ in capitals alone: on a Mac they would be one", () => {
  const files = filesOf("kernel", "lib", "native", "test", "docs", "notebooks");
  const seen = new Map<string, string>();
  const twins = files.flatMap((file) => {
    const name = file.toLowerCase();
    const other = seen.get(name);
    seen.set(name, file);
    return other === undefined ? [] : [[other, file]];
  });
  expect(files.length).toBeGreaterThan(1000);
  expect(twins).toEqual([]);
});
