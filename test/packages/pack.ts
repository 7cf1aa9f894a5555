// Runs `npm run pack` once, before the tests of this folder: they install what it makes.
import { spawnSync } from "node:child_process";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");

export default function pack(): void {
  const program = path.join(root, "native", "setup.mjs");
  const { status, stderr } = spawnSync(process.execPath, [program, "pack"], { encoding: "utf8" });
  if (status !== 0) throw new Error(`npm run pack failed: ${stderr}`);
}
