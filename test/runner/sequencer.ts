// In which order files run: those that take minutes first, so that no worker is left alone with one at the end, and those
// that share a worker last, in small steps.
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files of more than forty seconds on two cores, the dearest first: `npm test -- --slowest` prints them. */
const DEAREST = [
  "test/notebooks.test.ts",
  "test/lesson_exercises.test.ts",
  "test/operators/docstrings/docstrings.test.ts",
  "test/packages/registry.test.ts",
  "test/kernel/lab/ray.test.ts",
  "test/browser/notebooks.test.ts",
  "test/kernel/tools/nbgrader.test.ts",
  "test/lib/lab/remote/servers.test.ts",
  "test/lib/torch/distributed/failures.test.ts",
  "test/lib/misuse/misuse.test.ts",
  "test/kernel/cli/replay/replay.test.ts",
  "test/packages/packages.test.ts",
  "test/kernel/cli.test.ts",
  "test/kernel/lab/measures.test.ts",
  "test/lib/torch/distributed/kills.test.ts",
  "test/native/setup/setup.test.ts",
  "test/kernel/lab/growth_verdict.test.ts",
  "test/kernel/runtime/interrupt/unwound.test.ts",
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
