// How set-up compiles kernel/ and lib/ into dist/, in a folder that stands for a clone.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { buildJavaScript, removeStaleOutput } from "../../../native/setup/build.mjs";
import { createReport } from "../../../native/setup/report.mjs";
import { writeStamp } from "../../../native/setup/stamp.mjs";

const root = path.resolve(import.meta.dirname, "../../..");

let clone: string;
beforeEach(() => {
  clone = mkdtempSync(path.join(tmpdir(), "mpslab-javascript-"));
});
afterEach(() => rmSync(clone, { recursive: true }));

it("a build deletes from dist what sources left there that moved or went", () => {
  const write = (file: string) => {
    mkdirSync(path.dirname(path.join(clone, file)), { recursive: true });
    writeFileSync(path.join(clone, file), "");
  };
  for (const source of ["lib/kept.ts", "lib/new/moved.ts"]) write(source);
  for (const name of ["kept", "moved", "gone/deep"])
    for (const ending of ["js", "js.map", "d.ts"]) write(`dist/lib/${name}.${ending}`);
  removeStaleOutput(clone);
  const left = readdirSync(path.join(clone, "dist"), { recursive: true }).map(String).sort();
  expect(left).toEqual(["lib", "lib/gone", "lib/kept.d.ts", "lib/kept.js", "lib/kept.js.map"]);
});

it("JavaScript that was not made to its end is made again, though the sources are as they were", async () => {
  const stamp = path.join(clone, "build", "javascript.json");
  for (const folder of ["build", "kernel", "lib", "native"])
    mkdirSync(path.join(clone, folder), { recursive: true });
  symlinkSync(path.join(root, "node_modules"), path.join(clone, "node_modules"));
  writeFileSync(path.join(clone, "tsconfig.json"), '{ "include": ["kernel"] }');
  writeFileSync(path.join(clone, "kernel", "main.ts"), "const begun = ;");
  writeStamp(stamp, { sources: "of a build that was whole" });
  await expect(buildJavaScript(clone, createReport(clone))).rejects.toThrow(
    "The TypeScript sources have errors",
  );
  expect(existsSync(stamp)).toBe(false);
});
