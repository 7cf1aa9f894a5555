// Decides which texts name a Ray cluster. The command line uses it before it loads the code of sweeps.

/** `ray` for the cluster of this machine, or the address of a Ray Client server. */
export type RayEngine = "ray" | `ray://${string}`;

const ADDRESS = /^ray:\/\/[^/]+:\d+\/?$/;

export function isRayEngine(engine: unknown): engine is RayEngine {
  return engine === "ray" || (typeof engine === "string" && ADDRESS.test(engine));
}
