// Every magic by its name. Completion, `%lsmagic`, help and the answer to a wrong name read this and nothing else; a new
// magic is a file of its own and a line here.
import { check } from "./check.ts";
import { compiled } from "./compiled.ts";
import { device } from "./device.ts";
import { flush } from "./flush.ts";
import { lsmagic } from "./lsmagic.ts";
import type { Magic } from "./magic.ts";
import { memory } from "./memory.ts";

export const MAGICS: ReadonlyMap<string, Magic> = new Map(
  [check, compiled, device, flush, lsmagic, memory].map((magic) => [magic.name, magic] as const),
);
