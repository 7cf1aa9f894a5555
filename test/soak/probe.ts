// Preloaded by `--import` into the kernel and the session of a soak: on SIGUSR2 the process collects its garbage and writes
// its memory figures into the soak's folder, and a heap snapshot where the soak asks for one. Loads nothing of mpslab.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setFlagsFromString, writeHeapSnapshot } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

const folder = process.env["MPSLAB_SOAK_FOLDER"];
if (isMainThread && folder !== undefined) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  process.on("SIGUSR2", () => {
    // Finalizers run after the first collection, and what they let go is found by the second.
    collect();
    setImmediate(() => {
      collect();
      const wanted = path.join(folder, "snapshots");
      if (existsSync(wanted))
        writeHeapSnapshot(
          path.join(readFileSync(wanted, "utf8"), `${process.pid}-${Date.now()}.heapsnapshot`),
        );
      const file = path.join(folder, `${process.pid}.json`);
      writeFileSync(`${file}.partial`, JSON.stringify(process.memoryUsage()));
      renameSync(`${file}.partial`, file);
    });
  });
}
