// How `npm test` runs: sources are imported as TypeScript; what starts processes of its own uses `dist/`, which
// set-up built before.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What tests run is not what the user ran.
    env: { MPSLAB_HISTORY: "off" },
    pool: "forks",
    maxWorkers: 2,
  },
});
