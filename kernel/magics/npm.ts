// `%npm`: runs npm in the notebook's folder. The next cell can import what was installed.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { NPM_COMMANDS, type NpmCommand } from "../../lib/magics/grammars.ts";
import { writeWholeText } from "../../lib/whole_file.ts";
import { listed } from "../../lib/words.ts";
import { MagicError, type SessionHandler } from "./handler.ts";
import { nearestName } from "../../lib/magics/nearest_name.ts";
import type { SessionSide } from "./session_side.ts";

/** The commands of npm that a notebook needs, with npm's own short forms. */
const COMMANDS: Readonly<Record<string, NpmCommand>> = {
  install: "install",
  i: "install",
  add: "install",
  uninstall: "uninstall",
  remove: "uninstall",
  rm: "uninstall",
  list: "list",
  ls: "list",
  outdated: "outdated",
  update: "update",
  view: "view",
};
const CHANGES_PACKAGES = new Set<NpmCommand>(["install", "uninstall", "update"]);

/** Retries once after a second, because the user waits. npm's default pauses add up to a minute. */
const FLAGS = "--no-audit --no-fund --no-update-notifier --fetch-retries=1 --fetch-retry-mintimeout=1000";

const OFFLINE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT/;

export const npm: SessionHandler<"npm"> = async ({ text }, session) => {
  const [word = "", ...args] = text.split(/\s+/);
  const command = COMMANDS[word];
  if (command === undefined) {
    const near = nearestName(word, Object.keys(COMMANDS));
    const hint = near === null ? `it takes ${listed(NPM_COMMANDS, "or")}` : `did you mean ${near}?`;
    throw new MagicError(`%npm has no command ${word}: ${hint}`);
  }
  if (command === "uninstall" && args.every((arg) => arg.startsWith("-"))) {
    throw new MagicError("%npm uninstall needs the names of packages.");
  }
  const changes = CHANGES_PACKAGES.has(command);
  if (changes) ensureManifest(session);
  const before = changes ? dependencies(session.directory) : {};
  // A shell runs npm, because the user may have quoted words.
  const { code, signal, errors } = await session.execute("/bin/sh", [
    "-c",
    `exec npm ${command} ${FLAGS} ${args.join(" ")}`,
  ]);
  if (signal !== null) throw new MagicError(`npm was ended by ${signal}.`);
  if (code === 127) throw new MagicError("npm is not on the PATH of the kernel: install it with Node.");
  // `outdated` exits with 1 if a package is outdated, `list` if one is missing: that is no failure.
  if (code !== 0 && changes) throw new MagicError(reasonOf(command, errors));
  if (command === "install") tellOfTypes(session, before);
};

/** Makes a package.json if there is none. Without one, npm would install into the nearest folder above that has one. */
function ensureManifest({ directory, print }: SessionSide): void {
  const file = join(directory, "package.json");
  if (existsSync(file)) return;
  print(`There is no package.json in ${directory}: one is made, so that the packages go there.\n`);
  writeWholeText("%npm", file, `${JSON.stringify({ private: true, type: "module" }, null, 2)}\n`);
}

function dependencies(directory: string): Readonly<Record<string, string>> {
  const { dependencies: runtime, devDependencies } = readJson(join(directory, "package.json")) as {
    dependencies?: Record<string, string>;
    devDependencies?: Record<string, string>;
  };
  return { ...runtime, ...devDependencies };
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new MagicError(`${file} cannot be read: ${(error as Error).message}.`);
  }
}

/** A package without declarations can be imported all the same; its values are `any`. */
function tellOfTypes({ directory, print }: SessionSide, before: Readonly<Record<string, string>>): void {
  const now = dependencies(directory);
  const untyped = Object.keys(now).filter(
    (name) => now[name] !== before[name] && !name.startsWith("@types/") && !hasTypes(directory, name, now),
  );
  for (const name of untyped) {
    print(
      `${name} comes without types, so that its values are any: %npm install ${typesOf(name)} adds them, where they exist.\n`,
    );
  }
}

/** @param installed dependencies by name */
function hasTypes(directory: string, name: string, installed: Readonly<Record<string, string>>): boolean {
  if (typesOf(name) in installed) return true;
  const folder = join(directory, "node_modules", name);
  const manifest = readJson(join(folder, "package.json")) as Record<string, unknown>;
  if (typeof manifest["types"] === "string" || typeof manifest["typings"] === "string") return true;
  if (JSON.stringify(manifest["exports"] ?? "").includes('"types')) return true;
  const main = typeof manifest["main"] === "string" ? manifest["main"] : "index.js";
  return ["index.d.ts", main.replace(/\.?js$/, ".d.ts"), `${main}.d.ts`].some((file) =>
    existsSync(join(folder, file)),
  );
}

/** `@scope/name` -> `@types/scope__name` */
function typesOf(name: string): string {
  return `@types/${name.replace(/^@/, "").replace("/", "__")}`;
}

function reasonOf(command: string, errors: string): string {
  if (OFFLINE.test(errors)) {
    return "The npm registry cannot be reached: check the network connection, then run the cell again.";
  }
  const missing =
    /requested resource '(\S+?)(?:@\*)?' could not be found/.exec(errors) ??
    /notarget No matching version found for (\S+?)\.?$/m.exec(errors);
  if (missing !== null) return `The registry has no ${missing[1]}: check the name and the version.`;
  return `npm ${command} failed; what it printed says why.`;
}
