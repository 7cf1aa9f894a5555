// Compiles a Metal source to a library for the host. It runs the C++ compiler's preprocessor, the translation and the
// compiler. A cache by content compiles each source once on a machine.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { PACKAGE_ROOT, userCacheFolder } from "../../../../installation/package.ts";
import { thisSystem } from "../../../../platform/system.ts";
import { embedHeaders } from "./headers.ts";
import { type Kernel, Refused, ShaderError } from "./kernels.ts";
import { translate } from "./translate.ts";

export interface CompiledSource {
  /** The path of the shared library. */
  readonly file: string;
  readonly kernels: readonly Kernel[];
}

const SOURCE_NAME = "kernel.metal";
const FLAGS = [
  "-std=c++20",
  "-O2",
  "-fno-math-errno",
  "-ffp-contract=off",
  "-fsigned-char",
  "-fPIC",
  "-fvisibility=hidden",
  "-shared",
  "-w",
];

/** The compiler that set-up uses too. */
const compiler = (): string => process.env["CXX"] || "c++";

const headerFolder = (): string => path.join(PACKAGE_ROOT, "native", "simulated_metal", "shading");

const cacheFolder = (): string => path.join(userCacheFolder(), "shaders");

/**
 * The translation provides `#include <metal_stdlib>`. Any other header is an error, unless it is in a branch that is
 * not taken.
 */
function withoutIncludes(source: string): string {
  return source
    .split("\n")
    .map((text) => {
      const header = /^\s*#\s*(?:include|import)\s*[<"]([^>"]*)[>"]/.exec(text)?.[1];
      if (header === undefined) return text;
      if (/^(metal_\w+|simd\/simd\.h)$/.test(header)) return "";
      return `#error the header ${header} is not part of what simulated Metal takes: metal_stdlib is`;
    })
    .join("\n");
}

interface Answer {
  readonly ok: boolean;
  readonly output: string;
  readonly errors: string;
}

function run(call: string, args: readonly string[], input: string): Answer {
  const answer = spawnSync(compiler(), args, { input, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (answer.error) {
    throw new Error(
      `${call}: no C++ compiler was found (${compiler()} does not run), and simulated Metal compiles kernels with it: install one (on Debian: apt install g++), or set CXX to its path.`,
      { cause: answer.error },
    );
  }
  return { ok: answer.status === 0, output: answer.stdout, errors: answer.stderr };
}

/** The first error in the user's own lines, or else in what a template made of them. */
function refusal(errors: string): Refused {
  const lines = errors.split("\n");
  const own = new RegExp(`^${SOURCE_NAME}:(\\d+):(?:\\d+:)? (?:fatal )?error: (.*)$`);
  const at = lines.findIndex((text) => own.test(text));
  if (at >= 0) {
    const [, line, reason] = own.exec(lines[at]!)!;
    return new Refused(Number(line), inMetalsWords(reason!.replace(/^#error /, "")));
  }
  // For an error inside a header: the user's line is among the places from which the template was instantiated.
  const reason = /error: (.*)$/m.exec(errors)?.[1] ?? "the compiler gave no reason";
  const from = new RegExp(`${SOURCE_NAME}:(\\d+)`).exec(errors)?.[1];
  return new Refused(Number(from ?? 1), inMetalsWords(reason));
}

/** Replaces the translation's C++ names in a compiler's message with the Metal names that the user wrote. */
function inMetalsWords(reason: string): string {
  return reason
    .replaceAll(/(?:::)?mpslab_shader::pointer<(?:const )?([^<>]*(?:<[^<>]*>)?)>/g, "device $1*")
    .replaceAll("_Float16", "half")
    .replaceAll(
      /metal::vec<(\w[\w ]*), (\d)>/g,
      (_, type: string, lanes: string) => `${type === "unsigned int" ? "uint" : type}${lanes}`,
    )
    .replaceAll(/(?:::)?mpslab_shader::/g, "");
}

function inLine<T>(call: string, source: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refused) throw new ShaderError(call, source, error.line, error.message);
    throw error;
  }
}

/**
 * A library that the addon can load, from the cache where it was made before.
 *
 * @throws ShaderError with the user's line, for what C++ or simulated Metal does not take
 */
export function compileForHost(call: string, source: string): CompiledSource {
  return inLine(call, source, () => {
    const plain = withoutIncludes(embedHeaders(source, SOURCE_NAME));
    const expanded = /^\s*#/m.test(plain) ? preprocess(call, plain) : plain;
    const { code, kernels } = translate(expanded);
    const headers = headerFolder();
    const program = `#include "metal_stdlib.h"\n# 1 "${SOURCE_NAME}"\n${code}`;
    const file = path.join(cacheFolder(), `${fingerprint(program, headers)}.so`);
    if (!existsSync(file)) build(call, program, headers, file);
    return { file, kernels };
  });
}

function preprocess(call: string, source: string): string {
  const answer = run(
    call,
    ["-E", "-x", "c++", "-nostdinc", "-undef", "-D__METAL__=1", "-D__METAL_VERSION__=310", "-"],
    `# 1 "${SOURCE_NAME}"\n${source}\n`,
  );
  if (!answer.ok) throw refusal(answer.errors);
  return answer.output;
}

function fingerprint(program: string, headers: string): string {
  const hash = createHash("sha256")
    .update(program)
    .update(FLAGS.join(" "))
    .update(compiler())
    .update(thisSystem.architecture);
  for (const name of readdirSync(headers).sort()) hash.update(readFileSync(path.join(headers, name)));
  return hash.digest("hex").slice(0, 40);
}

/** Written to a temporary file and renamed, because another session may look for the same library. */
function build(call: string, program: string, headers: string, file: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(path.join(path.dirname(file), "making-"));
  try {
    const made = path.join(folder, "library.so");
    const input = path.join(folder, "kernel.cc");
    writeFileSync(input, program);
    const answer = run(call, [...FLAGS, `-I${headers}`, "-fdiagnostics-color=never", "-o", made, input], "");
    if (!answer.ok) throw refusal(answer.errors);
    renameSync(made, file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
