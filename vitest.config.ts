// How `npm test` runs: sources are imported as TypeScript; what starts processes of its own uses `dist/`, which
// set-up built before.
import { defineConfig } from "vitest/config";

const common = {
  testTimeout: 30_000,
  hookTimeout: 60_000,
  pool: "forks",
} as const;

// What tests run is not what the user ran.
const env = { MPSLAB_HISTORY: "off" };

const everything = { test: { ...common, name: "mpslab", include: ["test/**/*.test.ts"], env } };

/** The suite for any device, where no Mac is. */
const simulatedMetal = {
  test: {
    ...common,
    name: "simulated Metal",
    include: ["test/device/*.test.ts"],
    env: { ...env, MPSLAB_TEST_DEVICE: "mps", MPSLAB_METAL: "simulated" },
  },
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    // `npm run test:gpu` and `test:mps` choose a device themselves.
    projects: process.env["MPSLAB_TEST_DEVICE"] ? [everything] : [everything, simulatedMetal],
  },
});
