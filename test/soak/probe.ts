// Preloaded by `--import` into the kernel and the session of a soak: on SIGUSR2 the process collects its garbage and writes
// its memory figures, or a heap snapshot where one is asked for, into the soak's folder. Loads nothing of mpslab.
import { existsSync, renameSync, writeFileSync } from "node:fs";
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
      if (existsSync(path.join(folder, "snapshot")))
        writeHeapSnapshot(path.join(folder, `${process.pid}-${Date.now()}.heapsnapshot`));
      const file = path.join(folder, `${process.pid}.json`);
      writeFileSync(`${file}.partial`, JSON.stringify(process.memoryUsage()));
      renameSync(`${file}.partial`, file);
    });
  });
}
