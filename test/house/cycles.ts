// Finds a cycle in a graph of files or folders.

/** The nodes of one cycle in order, or null. */
export function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | null {
  const finished = new Set<string>();
  const open: string[] = [];
  function visit(file: string): string[] | null {
    if (finished.has(file)) return null;
    if (open.includes(file)) return [...open.slice(open.indexOf(file)), file];
    open.push(file);
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next);
      if (cycle) return cycle;
    }
    open.pop();
    finished.add(file);
    return null;
  }
  for (const file of graph.keys()) {
    const cycle = visit(file);
    if (cycle) return cycle;
  }
  return null;
}
