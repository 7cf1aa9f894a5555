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

/** Sets of files of which each reaches every other one (Tarjan, 1972), of more than one file. */
export function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  function visit(file: string): number {
    const index = order.size;
    order.set(file, index);
    open.push(file);
    let low = index;
    for (const next of graph.get(file) ?? []) {
      if (!graph.has(next)) continue;
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (open.includes(next)) low = Math.min(low, order.get(next)!);
    }
    if (low === index) {
      const cycle = open.splice(open.indexOf(file));
      if (cycle.length > 1) cycles.push(cycle);
    }
    return low;
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return cycles;
}
