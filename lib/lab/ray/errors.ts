// Declares the errors of work on a Ray cluster.

/** No cluster takes points, or the cluster takes none any longer. The message says why, and what to do. */
export class RayError extends Error {
  override readonly name = "RayError";
}

/** Nodes, or the workers that Ray runs on them, were lost while they ran a point. */
export class PointLostError extends Error {
  override readonly name = "PointLostError";
  /** The names of the nodes. */
  readonly nodes: string;

  constructor(nodes: readonly string[], why: string) {
    super(`It was lost on ${nodes.length} nodes: ${nodes.join(", ")} (${why}).`);
    this.nodes = nodes.join(", ");
  }
}
