// Removes what mpslab keeps outside of its own package: kernelspecs, the user's set-up, compiled shaders, and the
// history of cells where that is asked for. npm or pip removes the package itself, and a clone keeps everything else in
// its own folder.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { userCacheFolder, userFolder, userHistoryFile } from "../../lib/installation/package.ts";
import { WAY_OUT } from "../../lib/installation/ways_out.ts";
import { kernelspecFolder } from "./kernelspec.ts";
import { CommandError } from "./project.ts";
import { say } from "./terminal.ts";

interface UninstallOptions {
  /** The data folder of the Jupyter whose kernelspec is removed. */
  readonly dataFolder: string;
  /** Whether the history of cells is removed too: the user made it, and set-up cannot bring it back. */
  readonly history: boolean;
}

/** @throws CommandError for what the system does not let go */
export function uninstall({ dataFolder, history }: UninstallOptions): number {
  const kept = history ? [] : historyFiles();
  const ofUser = kept.length === 0 ? [userFolder()] : othersThan(kept);
  for (const place of [kernelspecFolder(dataFolder), ...ofUser, userCacheFolder()]) remove(place);
  if (kept.length > 0)
    say(`kept ${kept[0]}, the cells that you ran: mpslab uninstall --history removes it too.\n`);
  say(`${WAY_OUT.remove}.\n`);
  return 0;
}

const inUserFolder = (): string[] =>
  existsSync(userFolder()) ? readdirSync(userFolder()).map((name) => join(userFolder(), name)) : [];

/** SQLite has several files while a kernel writes, and a damaged file may have been renamed. */
function historyFiles(): string[] {
  const name = basename(userHistoryFile());
  return inUserFolder().filter((file) => basename(file).startsWith(name));
}

function othersThan(kept: readonly string[]): string[] {
  return inUserFolder().filter((file) => !kept.includes(file));
}

function remove(place: string): void {
  if (!existsSync(place)) return;
  try {
    rmSync(place, { recursive: true });
  } catch (error) {
    throw new CommandError(
      `${place} could not be removed (${(error as Error).message}): remove it yourself.`,
    );
  }
  say(`removed ${place}\n`);
}
