// Looks at everything that a notebook needs, says what it found, and the way out of what is missing. Changes nothing.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { jupyterDataFolder } from "../../lib/platform/folders.ts";
import { thisSystem } from "../../lib/platform/system.ts";
import { installedMain, PROJECT_DATA_FOLDER } from "./kernelspec.ts";
import { ADDON, KERNEL_MAIN, PROJECT_ROOT, venvProgram } from "./project.ts";

const run = promisify(execFile);

export interface Finding {
  readonly subject: string;
  readonly ok: boolean;
  /** The finding. If it is not ok, the text also says what to do. */
  readonly text: string;
}

async function examine(): Promise<Finding[]> {
  return [await node(), kernel(), await zeromq(), addon(), await device(), await jupyter(), kernelspec()];
}

/** Prints the findings; the exit code is 1 if one is not ok. */
export async function doctor(): Promise<number> {
  const findings = await examine();
  for (const { ok, subject, text } of findings) {
    process.stdout.write(`${ok ? "ok  " : "FAIL"} ${subject.padEnd(11)} ${text}\n`);
  }
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

/** What set-up says of a version of Node. It is plain JavaScript outside dist/, so it is found by the project's folder. */
interface NodeSupport {
  nodeSupport(version: string): { readonly ok: boolean; readonly text: string | null };
}

async function node(): Promise<Finding> {
  const file = pathToFileURL(join(PROJECT_ROOT, "native", "setup", "node_support.mjs"));
  const { nodeSupport } = (await import(file.href)) as NodeSupport;
  const { ok, text } = nodeSupport(process.versions.node);
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
    const text = `does not load (${firstLine(error)}): run npm start, which installs it.`;
    return { subject: "ZeroMQ", ok: false, text };
  }
}

function addon(): Finding {
  const ok = existsSync(ADDON);
  return { subject: "addon", ok, text: ok ? ADDON : `${ADDON} is missing: run npm run build.` };
}

/** Asks for the device in a process of its own, because the kernel's side never loads libtorch. */
async function device(): Promise<Finding> {
  const program =
    'import { torch, mps } from "mpslab"; const device = torch.device(); torch.ones([2], { device });' +
    "console.log(`${device}; mps ${mps.isAvailable() ? 'available' : 'not available'}`);";
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
    const text = `JupyterLab and nbclient are not in ${PROJECT_ROOT}/.venv: run npm start, which installs them.`;
    return { subject: "Jupyter", ok: false, text };
  }
}

function kernelspec(): Finding {
  const installed = installedMain(jupyterDataFolder());
  if (installed === null) {
    const text = `known to mpslab lab (${PROJECT_DATA_FOLDER}); mpslab install makes it known to every Jupyter of yours.`;
    return { subject: "kernelspec", ok: true, text };
  }
  const ok = installed === KERNEL_MAIN;
  const text = ok
    ? `installed in ${jupyterDataFolder()}`
    : `starts another copy, ${installed}: run mpslab install.`;
  return { subject: "kernelspec", ok, text };
}

function firstLine(error: unknown): string {
  const { message, stderr } = error as { message: string; stderr?: string };
  const lines = (stderr || message).split("\n").filter((line) => line.trim() !== "");
  return lines.find((line) => /^\w*Error/.test(line)) ?? lines[0] ?? message;
}
