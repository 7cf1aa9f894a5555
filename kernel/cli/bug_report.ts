// The file that `mpslab doctor --report` writes for a bug report: findings, versions, settings, the log of set-up. The
// user's names and secrets are removed from every line, and only known settings are read from the environment.
import { existsSync, readFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { INSTALLER, packageManifest, setUpFolder } from "../../lib/installation/package.ts";
import { thisSystem } from "../../lib/platform/system.ts";
import { LeftOutParts } from "../../lib/secrets/left_out.ts";
import { redact } from "../../lib/secrets/redact.ts";
import { writeOutput } from "./output_files.ts";

/** Prefixes and names of the variables of mpslab, of PyTorch and its threads, and of Python's environments. */
const SETTINGS =
  /^(?:MPSLAB_|PYTORCH_|OMP_|MKL_|KMP_|GOMP_|ATEN_|CUDA_VISIBLE_DEVICES$|VIRTUAL_ENV$|CONDA_PREFIX$|JUPYTER_PATH$|JUPYTER_DATA_DIR$|XDG_DATA_HOME$|CXX$)/;

/** The most characters of the log that a report holds: its end. */
const LOG_LINES = 200;

/** @param findings lines of the doctor */
export function writeReport(file: string, findings: readonly string[]): void {
  const settings = Object.entries(process.env)
    .filter(([name]) => SETTINGS.test(name))
    .map(([name, value]) => `${name}=${value}`)
    .toSorted();
  const sections = [
    [`mpslab ${packageManifest().version}, from ${INSTALLER}, ${new Date().toISOString()}`],
    findings,
    [
      `${thisSystem.name} ${thisSystem.release} ${thisSystem.architecture}`,
      `${os.cpus().length} x ${os.cpus()[0]?.model ?? "unknown processor"}, ${(os.totalmem() / 2 ** 30).toFixed(1)} GiB`,
    ],
    settings.length > 0 ? settings : ["No setting of mpslab or PyTorch is in the environment."],
    logOfSetUp(),
  ];
  const leftOut = new LeftOutParts();
  const text = withoutNames(
    leftOut.of("this file", redact(sections.map((lines) => lines.join("\n")).join("\n\n"), "shell")),
  );
  writeOutput(file, [text, "\n", ...[leftOut.sentence() ?? []].flat().map((sentence) => `\n${sentence}\n`)]);
}

function logOfSetUp(): string[] {
  const file = join(setUpFolder(), "build", "setup.log");
  if (!existsSync(file)) return ["Set-up has left no log."];
  return ["Log of set-up:", ...readFileSync(file, "utf8").trimEnd().split("\n").slice(-LOG_LINES)];
}

/** Replaces what names the user or the machine. */
export function withoutNames(
  text: string,
  { home, user, host }: { home: string; user: string; host: string } = {
    home: os.homedir(),
    user: os.userInfo().username,
    host: os.hostname(),
  },
): string {
  const names = [
    [home, "~"],
    [host, "<host>"],
    [user, "<user>"],
  ] as const;
  let redacted = text;
  // `root` and `/` occur in every log, and identify nobody.
  for (const [name, placeholder] of names)
    if (name.length > 2 && name !== "root") redacted = redacted.replaceAll(wholeName(name), placeholder);
  return redacted;
}

const wholeName = (name: string): RegExp =>
  new RegExp(`(?<![\\w.-])${name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}(?![\\w-])`, "g");
