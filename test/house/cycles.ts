// Finds the cycles in a graph of files or folders.

/** Sets of files of which each reaches every other one (Tarjan, 1972), and files that reach themselves at once. */
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
      if (cycle.length > 1 || graph.get(file)?.includes(file)) cycles.push(cycle);
    }
    return low;
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return cycles;
}
