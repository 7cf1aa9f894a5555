// The helper that `using` is lowered to: Node 20 has neither the syntax nor the stack that it needs.
import { createRequire } from "node:module";

/** What the transformer calls: `u` and `a` register resources of `using` and `await using`, `d` disposes of them. */
export interface UsingContext {
  readonly u: <Resource>(resource: Resource) => Resource;
  readonly a: <Resource>(resource: Resource) => Resource;
  readonly d: () => unknown;
  e: unknown;
}

/** The package has no declarations of its own. */
const require = createRequire(import.meta.url);
export const usingContext = require("@oxc-project/runtime/helpers/usingCtx") as () => UsingContext;
