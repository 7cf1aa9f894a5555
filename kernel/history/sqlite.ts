// Loads SQLite: Node's own from version 22.13 on; before that, a package with the same interface and its own binaries.
import { createRequire } from "node:module";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";

export type Database = DatabaseSyncInstance;

interface SqliteModule {
  readonly DatabaseSync: new (path: string) => Database;
}

/** SQLite's result codes. An extended code holds one of these in its low byte. */
const BUSY = 5;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;

const require = createRequire(import.meta.url);

/** @throws if the file cannot be opened. A file that is no database fails only at the first statement */
export function openDatabase(path: string): Database {
  const { DatabaseSync } = loadSqlite();
  return new DatabaseSync(path);
}

/** Another process is writing. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === BUSY;
}

/** The disk is full, or refuses a write for another reason that may pass, such as a quota or a network failure. */
export function isRefused(error: unknown): boolean {
  const code = resultCode(error);
  return code === FULL || code === IO_ERROR;
}

/** The file is no database, or its contents are inconsistent. */
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
