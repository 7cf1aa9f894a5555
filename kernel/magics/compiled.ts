// `%compiled`: shows the cell's compiled JavaScript without running it.
import type { KernelHandler } from "./handler.ts";

export const compiled: KernelHandler<"compiled"> = () => ({ showsCompiled: true });
