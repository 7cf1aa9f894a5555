// Loads SQLite: Node's own from 22.13 on, before that a package with the same interface that contains its binaries.
import { createRequire } from "node:module";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";

export type Database = DatabaseSyncInstance;

interface SqliteModule {
  readonly DatabaseSync: new (path: string) => Database;
}

/** SQLite's result codes, of which extended ones hold these in their low byte. */
const BUSY = 5;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;

const require = createRequire(import.meta.url);

/** @throws if the file cannot be opened; that it is no database shows at the first statement only */
export function openDatabase(path: string): Database {
  const { DatabaseSync } = loadSqlite();
  return new DatabaseSync(path);
}

/** Another process is writing. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === BUSY;
}

/** The disk is full, or refuses a write for another reason that may pass, as a quota or a network. */
export function isRefused(error: unknown): boolean {
  const code = resultCode(error);
  return code === FULL || code === IO_ERROR;
}

/** The file is no database, or what is in it contradicts itself. */
export function isDamaged(error: unknown): boolean {
  const code = resultCode(error);
  return code === CORRUPT || code === NOT_A_DATABASE;
}

function loadSqlite(): SqliteModule {
  const hasOwn = process.getBuiltinModule("node:sqlite") !== undefined;
  return require(hasOwn ? "node:sqlite" : "@photostructure/sqlite") as SqliteModule;
}

function resultCode(error: unknown): number {
  const { errcode } = error as { readonly errcode?: unknown };
  return typeof errcode === "number" ? errcode & 0xff : 0;
}
