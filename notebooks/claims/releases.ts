// Facts of PyTorch's releases, which releases.py read from their wheels for Macs.
import facts from "./releases.json" with { type: "json" };

export interface Release {
  readonly version: string;
  /** The platform in the wheel's name, as `macosx_14_0_arm64`. */
  readonly wheel: string;
  /** Versions of Python that it accepts. */
  readonly python: string;
  /** The oldest macOS that its message about MPS names. */
  readonly oldestMacos: string;
  /** Environment variables for MPS in its library. */
  readonly variables: readonly string[];
  /** Public names of `torch.mps`. */
  readonly mps: readonly string[];
  /** Public names of `torch.mps.profiler`. */
  readonly profiler: readonly string[];
  /** Backends of `torch.compile`. */
  readonly backends: readonly string[];
  /** Those of the documents' operators that have a kernel. */
  readonly kernels: readonly string[];
}

/** Oldest first. */
export const releases: readonly Release[] = facts;

export const latest: Release = releases.at(-1)!;

/** `2.9`, or `2.7 or before` for what the first of the releases has. */
function first(has: (release: Release) => boolean): string {
  const at = releases.findIndex(has);
  if (at < 0) return "none";
  const version = releases[at]!.version.replace(/\.0$/, "");
  return at === 0 ? `${version} or before` : version;
}

export const firstWithKernel = (name: string): string => first(({ kernels }) => kernels.includes(name));

/** By a public name of `torch.mps`. */
export const firstWithName = (name: string): string => first(({ mps }) => mps.includes(name));

export const firstWithMacosAbove = (version: number): string =>
  first(({ oldestMacos }) => Number(oldestMacos) > version);

/** `9 of 9 releases`. */
export const releasesWith = (has: (release: Release) => boolean): string =>
  `${releases.filter(has).length} of ${releases.length} releases`;
