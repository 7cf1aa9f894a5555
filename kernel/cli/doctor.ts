// Checks everything that a notebook needs, and prints what it found and how to get what is missing. Changes nothing.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { sep } from "node:path";
import { promisify } from "node:util";
import { addonFolder } from "../../lib/installation/addon.ts";
import { nodeSupport } from "../../lib/installation/node_support.ts";
import { INSTALLER, pythonPrefix } from "../../lib/installation/package.ts";
import { torchFolder, torchVersion } from "../../lib/installation/torch_package.ts";
import { WAY_OUT } from "../../lib/installation/ways_out.ts";
import { jupyterDataFolder } from "../../lib/platform/folders.ts";
import { thisSystem } from "../../lib/platform/system.ts";
import { installedMain, knowsThisKernel, PROJECT_DATA_FOLDER, prefixDataFolder } from "./kernelspec.ts";
import { KERNEL_MAIN, PROJECT_ROOT, venvProgram } from "./project.ts";
import { writeReport } from "./bug_report.ts";
import { say } from "./terminal.ts";

const run = promisify(execFile);

export interface Finding {
  readonly subject: string;
  readonly ok: boolean;
  /** The finding. If it is not ok, the text also says what to do. */
  readonly text: string;
}

async function examine(): Promise<Finding[]> {
  return [
    await node(),
    kernel(),
    await zeromq(),
    addon(),
    libtorch(),
    await device(),
    await jupyter(),
    kernelspec(),
  ];
}

/** `ok   Node        20.20.2 linux x64` */
const lineOf = ({ ok, subject, text }: Finding): string =>
  `${ok ? "ok  " : "FAIL"} ${subject.padEnd(11)} ${text}`;

/** Prints the findings; the exit code is 1 if one is not ok. */
export async function doctor(reportFile?: string): Promise<number> {
  const findings = await examine();
  for (const finding of findings) say(`${lineOf(finding)}\n`);
  if (reportFile !== undefined) {
    writeReport(reportFile, findings.map(lineOf));
    say(`report: ${reportFile}; read it before you send it.\n`);
  }
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

async function node(): Promise<Finding> {
  const { ok, text } = await nodeSupport();
  const found = `${process.versions.node} ${thisSystem.name} ${thisSystem.architecture}`;
  return { subject: "Node", ok, text: text === null ? found : `${found}; it ${text}.` };
}

function kernel(): Finding {
  const ok = existsSync(KERNEL_MAIN);
  return { subject: "kernel", ok, text: ok ? KERNEL_MAIN : `${KERNEL_MAIN} is missing: run npm run build.` };
}

async function zeromq(): Promise<Finding> {
  try {
    const { version } = await import("zeromq");
    return { subject: "ZeroMQ", ok: true, text: version };
  } catch (error) {
    const text = `does not load (${firstLine(error)}): run ${WAY_OUT.packages}.`;
    return { subject: "ZeroMQ", ok: false, text };
  }
}

function addon(): Finding {
  const folder = addonFolder();
  if (folder !== null) return { subject: "addon", ok: true, text: folder };
  const text = `none for ${thisSystem.name} ${thisSystem.architecture}: run ${WAY_OUT.addon}.`;
  return { subject: "addon", ok: false, text };
}

function libtorch(): Finding {
  const folder = torchFolder();
  const version = folder && torchVersion(folder);
  if (version) return { subject: "libtorch", ok: true, text: `${version} in ${folder}` };
  const text = `${folder === null ? "not set up" : `no torch package in ${folder}`}: run ${WAY_OUT.libtorch}.`;
  return { subject: "libtorch", ok: false, text };
}

/** Asks for the device in a process of its own, because the kernel's side never loads libtorch. */
async function device(): Promise<Finding> {
  const program =
    'import { torch, mps } from "mpslab"; const device = torch.device(); torch.ones([2], { device });' +
    "const { reason } = mps.availability();" +
    "console.log(`${device}; mps ${reason === null ? 'available' : `not available: ${reason}`}`);";
  try {
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], {
      cwd: PROJECT_ROOT,
    });
    return { subject: "device", ok: true, text: stdout.trim() };
  } catch (error) {
    const text = `no tensor could be made: ${firstLine(error)}`;
    return { subject: "device", ok: false, text };
  }
}

async function jupyter(): Promise<Finding> {
  const program =
    "import jupyterlab, nbclient; print(f'JupyterLab {jupyterlab.__version__}, nbclient {nbclient.__version__}')";
  try {
    const { stdout } = await run(venvProgram("python"), ["-c", program]);
    return { subject: "Jupyter", ok: true, text: stdout.trim() };
  } catch {
    const text = `JupyterLab and nbclient are not in ${pythonPrefix()}: run ${WAY_OUT.jupyter}.`;
    return { subject: "Jupyter", ok: false, text };
  }
}

function kernelspec(): Finding {
  const installed = installedMain(jupyterDataFolder());
  const ofEnvironment = prefixDataFolder(pythonPrefix());
  if (installed === null && INSTALLER === "pip" && installedMain(ofEnvironment) !== null)
    return { subject: "kernelspec", ok: true, text: `installed in ${ofEnvironment}` };
  if (installed === null) {
    const text = `known to mpslab lab (${PROJECT_DATA_FOLDER}); mpslab install makes it known to every Jupyter of yours.`;
    return { subject: "kernelspec", ok: true, text };
  }
  const ok = knowsThisKernel(jupyterDataFolder());
  const fault = installed.startsWith(PROJECT_ROOT + sep)
    ? `in ${jupyterDataFolder()} is of an earlier version, or of another Node`
    : `starts another copy, ${installed}`;
  const text = ok ? `installed in ${jupyterDataFolder()}` : `${fault}: run mpslab install.`;
  return { subject: "kernelspec", ok, text };
}

function firstLine(error: unknown): string {
  const { message, stderr } = error as { message: string; stderr?: string };
  const lines = (stderr || message).split("\n").filter((line) => line.trim() !== "");
  return lines.find((line) => /^\w*Error/.test(line)) ?? lines[0] ?? message;
}
