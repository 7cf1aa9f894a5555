// Lists the environment variables that PyTorch reads for mps, with the time when it reads each. Imports nothing,
// because `%env` uses it before libtorch is loaded. Sources: docs/source/mps_environment_variables.rst,
// ATen/mps/MPSDevice.h, MPSAllocator.mm and MPSFallback.mm of PyTorch 2.15.
import { environmentWhenTorchLoaded } from "../../../session.ts";

export interface MpsVariable {
  readonly name: string;
  readonly does: string;
}

export const MPS_VARIABLES: readonly MpsVariable[] = [
  { name: "PYTORCH_ENABLE_MPS_FALLBACK", does: "1: operators without a Metal kernel run on the CPU" },
  {
    name: "PYTORCH_MPS_HIGH_WATERMARK_RATIO",
    does: "most memory, as a fraction of the recommended: 1.7, 0 for no limit",
  },
  {
    name: "PYTORCH_MPS_LOW_WATERMARK_RATIO",
    does: "from where on caches are given back, as a fraction of the recommended: 1.4",
  },
  { name: "PYTORCH_MPS_FAST_MATH", does: "1: Metal's fast, less precise mathematics" },
  { name: "PYTORCH_MPS_PREFER_METAL", does: "1: Metal kernels in place of MPSGraph for matrix products" },
  {
    name: "PYTORCH_MPS_DISABLE_PREFILL_ATTENTION",
    does: "1: attention over many positions without the Metal kernels made for it",
  },
  { name: "PYTORCH_MPS_METAL_VERSION", does: "version of Metal's language that kernels are compiled for" },
  {
    name: "PYTORCH_MPS_LOG_PROFILE_INFO",
    does: "bits of what is logged: 1 operators, 2 copies, 4 fallbacks, 8 tables of all at the end (16, 32, 64 of one), 128 times, 256 waits, 512 buffers",
  },
  {
    name: "PYTORCH_MPS_TRACE_SIGNPOSTS",
    does: "bits of which signposts are set: 1 events, 2 intervals, 4 waiting for each, 8 intervals from the launch on",
  },
  {
    name: "PYTORCH_DEBUG_MPS_ALLOCATOR",
    does: "bits of what the allocator logs under TORCH_CPP_LOG_LEVEL=INFO: 1 limits, 2 allocations, 4 reuse, 8 releases, 16 large buffers alone",
  },
  { name: "MTL_CAPTURE_ENABLED", does: "1: mps.profiler.metalCapture works" },
];

const HIGH = "PYTORCH_MPS_HIGH_WATERMARK_RATIO";
const LOW = "PYTORCH_MPS_LOW_WATERMARK_RATIO";
/** The low watermark's default on Apple's processors (`MPSAllocator.h`). */
const LOW_DEFAULT = 1.4;
const MAX_RATIO = 2;

const NAMES: ReadonlySet<string> = new Set(MPS_VARIABLES.map(({ name }) => name));
const LOOKS_LIKE_ONE = /^PYTORCH_(\w*_)?MPS_/;

/** A variable whose name looks like one of PyTorch's for mps, but which nothing reads. */
export function isUnknownMpsVariable(name: string): boolean {
  return LOOKS_LIKE_ONE.test(name) && !NAMES.has(name);
}

/** Whether libtorch was loaded with another value, so that the present one has no effect in this session. */
function isTooLate(name: string, value: string | undefined): boolean {
  const read = environmentWhenTorchLoaded();
  return NAMES.has(name) && read !== null && read[name] !== value;
}

/**
 * Whether libtorch runs operators on the CPU for which mps has no kernel. Only the value that it read when it was
 * loaded counts.
 */
export function fallsBack(): boolean {
  return (environmentWhenTorchLoaded() ?? process.env)["PYTORCH_ENABLE_MPS_FALLBACK"] === "1";
}

export function unknownVariable(name: string): string {
  return `PyTorch has no variable ${name}; for mps it reads ${[...NAMES].join(", ")}.`;
}

/** A warning for the user who has just set the variable, or removed it; null if there is none. */
export function noteOnVariable(
  name: string,
  value: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  if (value !== undefined && isUnknownMpsVariable(name)) return unknownVariable(name);
  if (isTooLate(name, value))
    return `libtorch was loaded before and has read ${name}: restart the session, and set it in the first cell.`;
  return value !== undefined && (name === HIGH || name === LOW)
    ? noteOnRatio(name, value, environment)
    : null;
}

function noteOnRatio(
  name: string,
  value: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  const ratio = value.trim() === "" ? Number.NaN : Number(value);
  if (!(ratio >= 0 && ratio <= MAX_RATIO))
    return `${name}=${value} is no ratio: give a number from 0 (no limit) to ${MAX_RATIO}, as 0.7.`;
  const low = environment[LOW] === undefined ? LOW_DEFAULT : Number(environment[LOW]);
  const high = Number(environment[HIGH] ?? MAX_RATIO);
  if (high === 0 || !(low > high)) return null;
  const lowText = environment[LOW] === undefined ? `by default ${LOW_DEFAULT}` : String(low);
  return `${HIGH}=${high} is below the low watermark, ${lowText}, and Metal refuses to start: set ${LOW} too, to at most ${high}.`;
}
