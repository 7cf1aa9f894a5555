// The properties of a machine that decide whether it has Metal, and how a user describes a machine other than this one.
import { checkText } from "../../vocabulary/arguments.ts";
import { boolean, choice, integer, readOptions, type Rules } from "../../vocabulary/options.ts";

export interface Machine {
  /** As Node names it: `darwin` is macOS. */
  readonly platform: string;
  /** The architecture of the process: x64 under Rosetta on an Apple processor. */
  readonly arch: string;
  /** The version of macOS, `15`; meaningless on another platform. */
  readonly macos: number;
  /** The processor's name. */
  readonly processor: string;
  readonly container: boolean;
}

/** A machine to ask about. The defaults are those of a Mac on which mps works. */
export interface DescribedMachine {
  /** As Node names it. Default: `"darwin"`, macOS. */
  readonly platform?: "darwin" | "linux" | "win32";
  /** The architecture of Node, `"x64"` under Rosetta. Default: `"arm64"`. */
  readonly arch?: "arm64" | "x64";
  /** The version of macOS. Default: 26. */
  readonly macos?: number;
  /** The processor's name. Default: `"Apple M2"`. */
  readonly processor?: string;
  /** Whether Node runs in a container. Default: false. */
  readonly container?: boolean;
  /** Whether macOS shows a GPU; a virtual machine may have none. Default: true. */
  readonly gpu?: boolean;
}

/** Before macOS 11 no Mac had Apple silicon, and none had Metal under PyTorch. */
const FIRST_MACOS_ON_APPLE_SILICON = 11;

const RULES: Rules<DescribedMachine> = {
  platform: choice("darwin", ["darwin", "linux", "win32"]),
  arch: choice("arm64", ["arm64", "x64"]),
  macos: integer(26, FIRST_MACOS_ON_APPLE_SILICON),
  processor: { fallback: "Apple M2", check: checkText },
  container: boolean(false),
  gpu: boolean(true),
};

/** @throws TypeError, RangeError for a description of an impossible machine */
export function readMachine(call: string, machine: DescribedMachine): Required<DescribedMachine> {
  return readOptions(call, machine, RULES);
}
