// Reports which vector instructions libtorch's own kernels use on this processor. Results differ in their last bits
// from one set to another. Reads the system's files and does not load libtorch.
import os from "node:os";
import { type System, thisSystem } from "../../platform/system.ts";

/** libtorch's names (`at::get_cpu_capability`). `ATEN_CPU_CAPABILITY` takes them in lower case. */
export type InstructionSet = "DEFAULT" | "AVX2" | "AVX512";

/** The processor features that each set requires (PyTorch: `aten/src/ATen/native/DispatchStub.cpp`). */
const NEEDS: Readonly<Record<InstructionSet, readonly string[]>> = {
  DEFAULT: [],
  AVX2: ["avx2", "fma"],
  AVX512: ["avx512vl", "avx512bw", "avx512dq", "fma"],
};

/** Flags of a processor by which libraries choose their kernels: MKL and oneDNN, too. */
const VECTOR_FLAGS = /^(?:avx|fma|f16c|amx_|sse4|ssse3|neon|asimd|sve|sme\d?$|bf16|i8mm|FEAT_)/;

export interface Processor {
  /** `AMD EPYC, family 25, model 17`; on a Mac, `Apple M4`. */
  readonly name: string;
  /** The flags in alphabetical order: `avx`, `avx2`, ... */
  readonly vectorFlags: readonly string[];
}

let known: Processor | null = null;

/** The processor of this machine; asked once. */
export function processor(): Processor {
  known ??=
    thisSystem.name === "darwin"
      ? processorOfMac(thisSystem)
      : processorOf(thisSystem.textOf("/proc/cpuinfo") ?? "");
  return known;
}

/**
 * @param cpuinfo the text of /proc/cpuinfo; "" if there is none
 */
export function processorOf(cpuinfo: string): Processor {
  const field = (name: string) => new RegExp(`^${name}\\s*:\\s*(.*)$`, "m").exec(cpuinfo)?.[1]?.trim();
  const model = field("model name") ?? os.cpus()[0]?.model ?? "unknown";
  const parts = [
    model,
    ...["cpu family", "model", "CPU implementer", "CPU part"].flatMap((name) => {
      const value = field(name);
      return value === undefined ? [] : [`${name.replace(/^cpu |^CPU /, "")} ${value}`];
    }),
  ];
  return { name: parts.join(", "), vectorFlags: vectorFlagsOf(field("flags") ?? field("Features") ?? "") };
}

/** The features that Apple's processor names in `sysctl hw.optional.arm`. */
export function processorOfMac(system: System): Processor {
  const answer = system.answerOf("/usr/sbin/sysctl", ["hw.optional.arm"]) ?? "";
  const present = answer
    .split("\n")
    .flatMap((line) => /^hw\.optional\.arm\.(FEAT_\w+): 1$/.exec(line)?.[1] ?? []);
  return { name: os.cpus()[0]?.model ?? "unknown", vectorFlags: vectorFlagsOf(present.join(" ")) };
}

const vectorFlagsOf = (flags: string): string[] =>
  flags
    .split(/\s+/)
    .filter((flag) => VECTOR_FLAGS.test(flag))
    .toSorted();

/** The set that libtorch's kernels use: the one that `ATEN_CPU_CAPABILITY` asks for, or the largest that the processor has. */
export function instructionSet(
  { vectorFlags }: Processor = processor(),
  asked: string | undefined = process.env["ATEN_CPU_CAPABILITY"],
): InstructionSet {
  const wanted = named(asked);
  if (wanted !== null) return wanted;
  const sets = Object.keys(NEEDS) as InstructionSet[];
  return sets.findLast((set) => NEEDS[set].every((flag) => vectorFlags.includes(flag))) ?? "DEFAULT";
}

/**
 * Why libtorch must not be loaded with the set that `ATEN_CPU_CAPABILITY` asks for: an instruction that the processor
 * lacks ends the process with SIGILL. Null if it may be loaded.
 */
export function refusedInstructionSet(
  asked: string | undefined = process.env["ATEN_CPU_CAPABILITY"],
  ofProcessor: () => Processor = processor,
): string | null {
  const wanted = named(asked);
  if (wanted === null) return null;
  const { name, vectorFlags } = ofProcessor();
  const lacking = NEEDS[wanted].filter((flag) => !vectorFlags.includes(flag));
  if (lacking.length === 0) return null;
  return `ATEN_CPU_CAPABILITY=${asked} asks for instructions that this processor (${name}) lacks: ${lacking.join(", ")}. Unset it, or set it to ${instructionSet({ name, vectorFlags }, undefined).toLowerCase()}, and restart.`;
}

function named(asked: string | undefined): InstructionSet | null {
  const wanted = asked?.toUpperCase() ?? "";
  return Object.hasOwn(NEEDS, wanted) ? (wanted as InstructionSet) : null;
}
