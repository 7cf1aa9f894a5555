// Follows the child processes that cells and packages start, however they do: `spawn`, `exec`, `fork`, `execSync`. Stop
// ends those of the interrupted cell, and all of them end with the session. A child that is detached and `unref()`ed is
// meant to outlive its parent, and does. Stop leaves detached ones alone. Does not follow those that worker threads of
// the user's start.
import { randomBytes } from "node:crypto";
import childProcess, { type ChildProcess } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { owningCell } from "../cells.ts";
import { dismissGuardian, guardianPid, MARK, startGuardian, tellGuardian } from "./guardian.ts";
import { childrenOfThisProcess, killTree, stopTree } from "./process_tree.ts";

export interface ChildrenOptions {
  /** A call that waits for a child is about to block this thread; `others` are the children that run beside it. */
  readonly blocks: (others: readonly number[]) => void;
  /** The call has returned. May throw an error in place of its result. */
  readonly returned: () => void;
  /** Whether, as under node, the children live on when this process ends by itself, and do not know of the session. */
  readonly asUnderNode: boolean;
}

interface Followed {
  readonly pid: number;
  readonly number: number;
  readonly isDetached: boolean;
}

interface SpawnOptions {
  readonly envPairs?: readonly string[];
  readonly detached?: boolean;
}

/** Members that Node's types leave out. */
type Spawning = Pick<ChildProcess, "pid" | "unref"> & {
  spawn(options: SpawnOptions): number | undefined;
  readonly _handle: { onexit: (...given: unknown[]) => unknown };
};

const BLOCKING = ["spawnSync", "execSync", "execFileSync"] as const;

const token = `${process.pid}-${randomBytes(8).toString("hex")}`;
const running = new Map<object, Followed>();
/** Children that are meant to outlive the session. */
const released = new Set<number>();
let count = 0;
let startsGuardian = false;

export function followChildren(options: ChildrenOptions): void {
  followSpawned(options);
  for (const name of BLOCKING) followBlocking(name, options);
  syncBuiltinESMExports();
  process.once("exit", () => (options.asUnderNode ? dismissGuardian() : killAll()));
}

function followSpawned({ asUnderNode }: ChildrenOptions): void {
  const prototype = childProcess.ChildProcess.prototype as unknown as Spawning;
  const { spawn, unref } = prototype;
  prototype.spawn = function (this: Spawning, options) {
    if (startsGuardian) return spawn.call(this, options);
    const number = ++count;
    const marks = asUnderNode ? [] : [`${MARK}=${token}.${number}`];
    needGuardian();
    const failure = spawn.call(this, { ...options, envPairs: [...(options.envPairs ?? []), ...marks] });
    const { pid } = this;
    const isDetached = options.detached === true;
    if (pid !== undefined) follow(this, { pid, number, isDetached });
    return failure;
  };
  prototype.unref = function (this: Spawning) {
    release(running.get(this));
    unref.call(this);
  };
}

function follow(child: Spawning, followed: Followed): void {
  const { pid, number, isDetached } = followed;
  running.set(child, followed);
  tellGuardian("+", pid, number);
  const cell = owningCell();
  const stop = (): void => stopTree(pid);
  if (!isDetached) cell?.stopsWithIt.add(stop);
  // The handle is used, and not a listener on the child: a cell may remove all listeners.
  const { _handle: handle } = child;
  const { onexit } = handle;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- Node's own handle emits no events
  handle.onexit = (...given) => {
    running.delete(child);
    cell?.stopsWithIt.delete(stop);
    tellGuardian("-", pid, number);
    return Reflect.apply(onexit, handle, given);
  };
}

function release(child: Followed | undefined): void {
  if (!child?.isDetached || released.has(child.pid)) return;
  released.add(child.pid);
  tellGuardian("!", child.pid, child.number);
}

type Blocking = (...given: unknown[]) => unknown;

function followBlocking(name: (typeof BLOCKING)[number], options: ChildrenOptions): void {
  const holder = childProcess as unknown as Record<string, Blocking>;
  const original = holder[name] as Blocking;
  const following: Blocking = (...given) => {
    needGuardian();
    const others = [...running.values()].map(({ pid }) => pid);
    options.blocks([...others, guardianPid() ?? 0]);
    const marked = options.asUnderNode ? given : withMark(given, ++count);
    try {
      return original(...marked);
    } finally {
      options.returned();
    }
  };
  const { length } = original;
  holder[name] = Object.defineProperties(following, { name: { value: name }, length: { value: length } });
}

/** `spawnSync(file, args?, options?)`, `execSync(command, options?)`: the options come last where there are any. */
function withMark(given: readonly unknown[], number: number): unknown[] {
  const last = given.findLastIndex((value) => value !== undefined && value !== null);
  const before = given.slice(0, last + 1);
  const isGiven = last > 0 && typeof given[last] === "object" && !Array.isArray(given[last]);
  const options = (isGiven ? before.pop() : {}) as { readonly env?: NodeJS.ProcessEnv };
  return [...before, { ...options, env: { ...(options.env ?? process.env), [MARK]: `${token}.${number}` } }];
}

function needGuardian(): void {
  if (guardianPid() !== null) return;
  startsGuardian = true;
  try {
    startGuardian(token);
  } finally {
    startsGuardian = false;
  }
}

/** The guardian ends processes that this child has left behind. */
function killAll(): void {
  if (guardianPid() === null) return;
  for (const pid of childrenOfThisProcess()) if (pid !== guardianPid() && !released.has(pid)) killTree(pid);
}
