// Writes the golden command of a run, to be typed or given to launchd or systemd. It holds the notebook and the
// variables that it ran with, so that operations can compare commands like code.
import path from "node:path";
import type { RunEntry } from "./entry.ts";
import { variablesOf } from "./fields.ts";
import { visibleLine } from "../../visible.ts";

export type CommandForm = "plain" | "launchd" | "systemd";

export const COMMAND_FORMS: readonly CommandForm[] = ["plain", "launchd", "systemd"];

export interface GoldenCommand {
  readonly program: readonly string[];
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  /**
   * The folders in which this session finds programs. `mpslab` and `node` are seldom in the folders that launchd and
   * systemd search.
   */
  readonly searchPath: string | undefined;
}

export function goldenCommand(run: RunEntry, notebook: string): GoldenCommand {
  const given = Object.entries(variablesOf(run.fields.variables));
  // A stranger's entry may name what a shell would run.
  const variables = Object.fromEntries(given.filter(([name]) => /^[A-Za-z_]\w*$/.test(name)));
  return {
    program: ["mpslab", "execute", path.basename(notebook)],
    folder: path.dirname(path.resolve(notebook)),
    variables,
    searchPath: process.env["PATH"],
  };
}

export function commandText(command: GoldenCommand, form: CommandForm): string {
  if (form === "plain") return plain(command);
  return form === "launchd" ? launchd(command) : systemd(command);
}

function plain({ program, folder, variables }: GoldenCommand): string {
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);
  return `cd ${shellWord(folder)} && ${[...assignments, ...program.map(shellWord)].join(" ")}\n`;
}

/** `it's` -> `'it'\''s'` */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** launchd and systemd begin programs without a shell, and with a PATH of their own. */
function ofService({ variables, searchPath }: GoldenCommand): [name: string, value: string][] {
  return Object.entries(searchPath === undefined ? variables : { PATH: searchPath, ...variables });
}

function launchd(command: GoldenCommand): string {
  const { program, folder } = command;
  const strings = ["/usr/bin/env", ...program].map((word) => `    <string>${xml(word)}</string>`).join("\n");
  const pairs = ofService(command).map(
    ([name, value]) => `    <key>${xml(name)}</key>\n    <string>${xml(value)}</string>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${xml(`mpslab.${path.basename(program.at(-1)!, ".ipynb")}`)}</string>
  <key>ProgramArguments</key>
  <array>
${strings}
  </array>
  <key>WorkingDirectory</key>
  <string>${xml(folder)}</string>
  <key>EnvironmentVariables</key>
  <dict>
${pairs.join("")}  </dict>
</dict>
</plist>
`;
}

function xml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function systemd(command: GoldenCommand): string {
  const { program, folder } = command;
  const pairs = ofService(command).map(([name, value]) => `Environment=${unitWord(`${name}=${value}`)}\n`);
  return `[Unit]
Description=mpslab: ${visibleLine(program.at(-1)!).replaceAll("%", "%%")}

[Service]
Type=oneshot
WorkingDirectory=${visibleLine(folder).replaceAll("%", "%%")}
${pairs.join("")}ExecStart=/usr/bin/env ${program.map((word) => unitWord(word).replaceAll("$", "$$$$")).join(" ")}
`;
}

/** Percent signs are specifiers in a unit, and a quoted word takes backslashes as C does. */
function unitWord(text: string): string {
  const escaped = text
    .replaceAll("%", "%%")
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("\n", "\\n");
  return /[\s"'\\]/.test(text) ? `"${escaped}"` : escaped;
}
