// Every magic by its name. Completion, `%lsmagic`, help and the answer to a wrong name read this and nothing else; a
// new magic is a file of its own and a line here.
import { check } from "./check.ts";
import { compiled } from "./compiled.ts";
import { device } from "./device.ts";
import { env } from "./env.ts";
import { flush } from "./flush.ts";
import { load } from "./load.ts";
import { lsmagic } from "./lsmagic.ts";
import type { Magic } from "./magic.ts";
import { memory } from "./memory.ts";
import { metal } from "./metal.ts";
import { npm } from "./npm.ts";
import { reset } from "./reset.ts";
import { restore } from "./restore.ts";
import { sh } from "./sh.ts";
import { snapshot } from "./snapshot.ts";
import { time } from "./time.ts";
import { timeit } from "./timeit.ts";
import { who } from "./who.ts";
import { writefile } from "./writefile.ts";

export const MAGICS: ReadonlyMap<string, Magic> = new Map(
  [
    check,
    compiled,
    device,
    env,
    flush,
    load,
    lsmagic,
    memory,
    metal,
    npm,
    reset,
    restore,
    sh,
    snapshot,
    time,
    timeit,
    who,
    writefile,
  ].map((magic) => [magic.name, magic] as const),
);
