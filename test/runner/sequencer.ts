// In which order files run: those that take minutes first, so that no worker is left alone with one at the end, and those
// that share a worker last, in small steps.
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files of more than twenty seconds on two cores, the dearest first: `npm test -- --slowest` prints them. */
const DEAREST = [
  "test/notebooks.test.ts",
  "test/browser/notebooks.test.ts",
  "test/packages/packages.test.ts",
  "test/lib/misuse/misuse.test.ts",
  "test/kernel/lab/ray.test.ts",
  "test/native/setup/setup.test.ts",
  "test/native/setup/odd_machines.test.ts",
  "test/kernel/tools/nbgrader.test.ts",
  "test/kernel/cli/replay/replay.test.ts",
  "test/kernel/cli/replay/elsewhere.test.ts",
  "test/kernel/runtime/interrupt/interrupt.test.ts",
];

export class DearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = (file: TestSpecification): number => {
      const place = DEAREST.findIndex((name) => file.moduleId.endsWith(`/${name}`));
      if (place >= 0) return place;
      return DEAREST.length + (file.project.config.isolate ? 0 : 1);
    };
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
