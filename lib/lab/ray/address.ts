// Tells what names a Ray cluster. The command line asks it before it loads anything of a sweep.

/** `ray` for the cluster of this machine, or the address of a Ray Client server. */
export type RayEngine = "ray" | `ray://${string}`;

const ADDRESS = /^ray:\/\/[^/]+:\d+\/?$/;

export function isRayEngine(engine: unknown): engine is RayEngine {
  return engine === "ray" || (typeof engine === "string" && ADDRESS.test(engine));
}
