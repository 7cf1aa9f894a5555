// `%compiled`: the cell as it would run.
import type { KernelHandler } from "./handler.ts";

export const compiled: KernelHandler<"compiled"> = () => ({ showsCompiled: true });
