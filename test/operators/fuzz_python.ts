// Reports what PyTorch itself does with a call of the fuzzer: runs its line in a Python of its own, under the same
// limits.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { peerPython } from "../bench/environment.ts";
import { Watched } from "./fuzz_child.ts";
import { HEADROOM_BYTES } from "./fuzz_limits.ts";

const PROGRAM = `
import resource, sys, warnings
warnings.simplefilter("ignore")
import torch
torch.set_num_threads(1)
with open("/proc/self/status") as status:
    size = next(int(line.split()[1]) for line in status if line.startswith("VmSize")) * 1024
resource.setrlimit(resource.RLIMIT_AS, (size + ${HEADROOM_BYTES}, resource.RLIM_INFINITY))
print(torch.__version__, flush=True)
try:
    eval(sys.argv[1])
    print("returns", flush=True)
except BaseException as error:
    print(type(error).__name__ + ": " + " ".join(str(error).split())[:120], flush=True)
`;

/** Undefined where there is none. */
export const python = [process.env["MPSLAB_FUZZ_PYTHON"] ?? peerPython].find(
  (program) => !program.includes("/") || existsSync(program),
);

/** `in Python 2.15.0: SIGSEGV`, `in Python 2.15.0: RuntimeError: ...` */
export async function behaviourInPython(line: string): Promise<string> {
  if (python === undefined) return "in Python: not known (name one with MPSLAB_FUZZ_PYTHON)";
  const child = spawn(python, ["-c", PROGRAM, line], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, CUDA_VISIBLE_DEVICES: "" },
  });
  const watched = new Watched(child);
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += String(chunk)));
  const ending = await watched.ending();
  const [version = "without torch", outcome] = output.trim().split("\n");
  const end = typeof ending === "string" ? ending : (outcome ?? `status ${ending}`);
  return `in Python ${version}: ${end}`;
}
