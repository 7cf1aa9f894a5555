// Does the set-up that an installed package still lacks: libtorch, JupyterLab, and the addon where there is none for this
// machine. In a clone `npm start` does it, and pip has done it for its own environment.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { addonFolder } from "../../lib/installation/addon.ts";
import { nodeRefusal } from "../../lib/installation/node_support.ts";
import { INSTALLER, setUpFolder } from "../../lib/installation/package.ts";
import { CommandError, PROJECT_ROOT } from "./project.ts";

interface Parts {
  /** Whether notebooks are to be opened or written as pages, and not only run by another Jupyter. */
  readonly jupyter: boolean;
  /** Whether the addon is compiled even if there is a prebuilt one for this platform. Default: false. */
  readonly compile?: boolean;
}

/** Set-up is plain JavaScript outside dist/, because a clone needs it before anything is compiled. */
interface ForUser {
  setUpForUser(root: string, folder: string, parts: Required<Parts>): Promise<void>;
}

/** @throws CommandError with what is missing and how to get it */
export async function setUp({ jupyter, compile = false }: Parts): Promise<void> {
  // A clone or an environment may have been set up with another Node.
  const refusal = await nodeRefusal();
  if (refusal !== null) throw new CommandError(`${refusal}, then run the command again.`);
  if (INSTALLER !== "npm") return;
  const file = pathToFileURL(join(PROJECT_ROOT, "native", "setup", "for_user.mjs"));
  const { setUpForUser } = (await import(file.href)) as ForUser;
  try {
    await setUpForUser(PROJECT_ROOT, setUpFolder(), { jupyter, compile: compile || addonFolder() === null });
  } catch (error) {
    if ((error as Error).name !== "SetupError") throw error;
    throw new CommandError((error as Error).message);
  }
}
