// A process that reads one hostile file, and prints what came of it and how much memory it took at most.
import { hostileFiles } from "./hostile_files.ts";

const [at, file] = process.argv.slice(2);
const { read } = hostileFiles[Number(at)]!;
const beforeKib = process.resourceUsage().maxRSS;
let outcome = "read";
try {
  const value = await read(file!);
  outcome = `read ${typeof value}`;
} catch (error) {
  outcome = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
console.log(JSON.stringify({ outcome, bytes: 1024 * (process.resourceUsage().maxRSS - beforeKib) }));
