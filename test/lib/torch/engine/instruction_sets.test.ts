// Which vector instructions libtorch uses, read from the system; and that it is not loaded with those that the processor lacks.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  instructionSet,
  processorOf,
  refusedInstructionSet,
} from "../../../../lib/torch/engine/instruction_sets.ts";

const cpuinfo = (flags: string) =>
  `processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\nflags\t\t: fpu smep sse2 ${flags}\n`;

const GENOA = processorOf(cpuinfo("sse4_1 avx f16c fma avx2 avx512f avx512dq avx512bw avx512vl"));
const ROME = processorOf(cpuinfo("sse4_1 avx f16c fma avx2"));
const OLD = processorOf(cpuinfo("sse4_1"));
const GRAVITON = processorOf(
  "processor\t: 0\nFeatures\t: fp asimd sve bf16\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n",
);

it("a processor is told apart from another of the same name by family, model and vector instructions", () => {
  expect(ROME).toEqual({
    name: "AMD EPYC, family 25, model 17",
    vectorFlags: ["avx", "avx2", "f16c", "fma", "sse4_1"],
  });
  expect(GRAVITON.vectorFlags).toEqual(["asimd", "bf16", "sve"]);
  expect(GRAVITON.name).toMatch(/implementer 0x41, part 0xd40$/);
});

describe("libtorch's kernels use", () => {
  it.each([
    ["the largest set that the processor has", GENOA, undefined, "AVX512"],
    ["the largest of an older one", ROME, undefined, "AVX2"],
    ["none of a very old one", OLD, undefined, "DEFAULT"],
    ["the set that is asked for", GENOA, "avx2", "AVX2"],
    ["the largest set where another word is asked for", GENOA, "fast", "AVX512"],
  ])("%s", (_, of, asked, set) => {
    expect(instructionSet(of, asked)).toBe(set);
  });
});

describe("a set that the processor lacks", () => {
  it("is refused, with what it lacks and the way out", () => {
    expect(refusedInstructionSet("avx512", () => ROME)).toBe(
      "ATEN_CPU_CAPABILITY=avx512 asks for instructions that this processor (AMD EPYC, family 25, model 17) lacks: avx512vl, avx512bw, avx512dq. Unset it, or set it to avx2, and restart.",
    );
    expect(refusedInstructionSet("avx2", () => ROME)).toBeNull();
    expect(refusedInstructionSet(undefined, () => OLD)).toBeNull();
  });

  it("ends no process: libtorch is not loaded with it", () => {
    const program = `
      const refuse = process.argv[1];
      process.env.ATEN_CPU_CAPABILITY = refuse;
      const { torch } = await import(${JSON.stringify(path.resolve(import.meta.dirname, "../../../../dist/bundle/lib/index.js"))});
      try { console.log(torch.ones([64]).sum().item()); } catch (error) { console.log(error.message); }`;
    // A processor that has every set runs with each.
    const lacked = ["avx2", "avx512"].find((set) => refusedInstructionSet(set) !== null) ?? "avx512";
    const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program, lacked], {
      encoding: "utf8",
    });
    expect(status).toBe(0);
    expect(stdout).toMatch(refusedInstructionSet(lacked) === null ? /^64\n/ : /^ATEN_CPU_CAPABILITY=/);
  });
});
