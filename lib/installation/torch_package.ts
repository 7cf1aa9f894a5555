// The `torch` package whose libtorch the addon uses: where it is, which version, and whether the addon fits it.
import { readFileSync } from "node:fs";
import path from "node:path";
import { setUpFolder } from "./package.ts";
import { WAY_OUT } from "./ways_out.ts";

/**
 * The folder of the `torch` package: MPSLAB_TORCH, or else the one that set-up found or installed. Null before set-up.
 */
export function torchFolder(environment: NodeJS.ProcessEnv = process.env): string | null {
  if (environment["MPSLAB_TORCH"]) return path.resolve(environment["MPSLAB_TORCH"]);
  try {
    const text = readFileSync(path.join(setUpFolder(), ".venv", "mpslab-torch.json"), "utf8");
    return (JSON.parse(text) as { folder: string }).folder;
  } catch {
    return null;
  }
}

/** The version that the package states, `2.15.0+cpu`; null if there is none. */
export function torchVersion(folder: string): string | null {
  try {
    const text = readFileSync(path.join(folder, "version.py"), "utf8");
    return /__version__ *= *['"]([^'"]+)/.exec(text)?.[1] ?? null;
  } catch {
    return null;
  }
}

/** `2.15` from `2.15.0+cpu`: releases of one minor version share the layout of libtorch's classes. */
const minorVersion = (version: string): string => version.split(".").slice(0, 2).join(".");

/** Why an addon that was built for PyTorch `built` must not load the libtorch in `folder`; null if it may. */
export function torchRefusal(built: string, folder: string): string | null {
  const found = torchVersion(folder);
  if (found === null)
    return `libtorch cannot be loaded: there is no torch package in ${folder}. Run ${WAY_OUT.libtorch}.`;
  if (minorVersion(found) === minorVersion(built)) return null;
  return `libtorch cannot be loaded: the addon was built for PyTorch ${minorVersion(built)}, and ${folder} holds ${found}. Run ${WAY_OUT.fittingTorch}.`;
}
