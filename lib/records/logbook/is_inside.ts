// Tells by its text alone whether a path leads into a folder: asks no disk, and follows no link.
import path from "node:path";

/** Both paths are absolute. A folder is not inside itself; `/a/..odd.txt` is inside `/a`. */
export function isInside(folder: string, file: string): boolean {
  const way = path.relative(folder, file);
  return way !== "" && way !== ".." && !way.startsWith(`..${path.sep}`);
}
