// Maps the name of every magic to its handler. A new magic is an entry in `lib/magics/grammars.ts`, a file
// here, and its line below.
import type { MagicCall } from "../../lib/magics/grammar.ts";
import { check } from "./check.ts";
import { compiled } from "./compiled.ts";
import { debug } from "./debug.ts";
import { device } from "./device.ts";
import { env } from "./env.ts";
import { flush } from "./flush.ts";
import type { KernelHandler, KernelMagicName, SessionHandler, SessionMagicName } from "./handler.ts";
import { inspect } from "./inspect.ts";
import { load } from "./load.ts";
import { lsmagic } from "./lsmagic.ts";
import { memory } from "./memory.ts";
import { metal } from "./metal.ts";
import { npm } from "./npm.ts";
import { outputs } from "./outputs.ts";
import { pdb } from "./pdb.ts";
import { python } from "./python.ts";
import { ranks } from "./ranks.ts";
import { reset } from "./reset.ts";
import { restore } from "./restore.ts";
import { sh } from "./sh.ts";
import { snapshot } from "./snapshot.ts";
import { stale } from "./stale.ts";
import { time } from "./time.ts";
import { timeit } from "./timeit.ts";
import { who } from "./who.ts";
import { writefile } from "./writefile.ts";

const KERNEL_HANDLERS: { readonly [Name in KernelMagicName]: KernelHandler<Name> } = {
  check,
  compiled,
  flush,
  load,
  lsmagic,
  outputs,
  pdb,
  python,
  ranks,
  restore,
  stale,
};

const SESSION_HANDLERS: { readonly [Name in SessionMagicName]: SessionHandler<Name> } = {
  debug,
  device,
  env,
  inspect,
  memory,
  metal,
  npm,
  reset,
  sh,
  snapshot,
  time,
  timeit,
  who,
  writefile,
};

type Untyped<Handler> = Handler extends (call: never, ...rest: infer Rest) => infer Result
  ? (call: MagicCall, ...rest: Rest) => Result
  : never;

/** Null for a magic that runs in the session. */
export function kernelHandlerOf(name: string): Untyped<KernelHandler<KernelMagicName>> | null {
  // The cast is safe because `readArguments` reads a call's options by the grammar that types its handler.
  return Object.hasOwn(KERNEL_HANDLERS, name)
    ? (KERNEL_HANDLERS[name as KernelMagicName] as Untyped<KernelHandler<KernelMagicName>>)
    : null;
}

/** Null for a magic that runs in the kernel. */
export function sessionHandlerOf(name: string): Untyped<SessionHandler<SessionMagicName>> | null {
  return Object.hasOwn(SESSION_HANDLERS, name)
    ? (SESSION_HANDLERS[name as SessionMagicName] as Untyped<SessionHandler<SessionMagicName>>)
    : null;
}
