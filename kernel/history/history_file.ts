// Reads and writes rows of a history file. Its tables are IPython's, so that IPython's tools can read it. `history.ts`
// decides when to write, and what to do about an unusable file.
import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import type { HistoryRequest } from "../protocol/requests.ts";
import { type Database, openDatabase } from "./sqlite.ts";

/** Session number, line number, input; with `output`, the pair of input and output. */
export type HistoryItem = readonly [number, number, string | readonly [string, string | null]];

export interface InputRow {
  readonly line: number;
  /** The input as the user wrote it. */
  readonly input: string;
  /** The input as it ran, which `raw: false` requests. */
  source: string;
}

export interface OutputRow {
  readonly line: number;
  readonly output: string;
}

interface FoundRow {
  readonly session: number;
  readonly line: number;
  readonly input: string;
  readonly output: string | null;
}

/** The path with which SQLite keeps a database in memory. */
export const IN_MEMORY = ":memory:";

/**
 * WAL: readers never wait for writers, and a commit needs no fsync; a power cut may cost the last cells, never the
 * file.
 */
const SET_UP = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS sessions (
    session INTEGER PRIMARY KEY AUTOINCREMENT, start TIMESTAMP, end TIMESTAMP, num_cmds INTEGER, remark TEXT);
  CREATE TABLE IF NOT EXISTS history (
    session INTEGER, line INTEGER, source TEXT, source_raw TEXT, PRIMARY KEY (session, line));
  CREATE TABLE IF NOT EXISTS output_history (
    session INTEGER, line INTEGER, output TEXT, PRIMARY KEY (session, line));`;

const OWN_MODE = 0o600;

/** Cells may hold passwords, so only the user may read the file. SQLite gives the files beside it the same mode. */
function keepToUser(path: string): void {
  try {
    closeSync(openSync(path, "a", OWN_MODE));
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, OWN_MODE);
  } catch {
    // SQLite will report what is wrong with the file. Another user's file keeps its mode.
  }
}

export class HistoryFile {
  readonly #database: Database;
  /** The number of this kernel's session. Every kernel that writes to the file has its own. */
  readonly #session: number;
  #lines = 0;

  /** @throws SQLite's errors: cannot be opened, is busy, is no database */
  constructor(path: string, busyTimeoutMs: number) {
    if (path !== IN_MEMORY) keepToUser(path);
    this.#database = openDatabase(path);
    try {
      this.waitWhileBusy(busyTimeoutMs);
      this.#database.exec(SET_UP);
      const begin = this.#database.prepare("INSERT INTO sessions (start) VALUES (?)");
      this.#session = Number(begin.run(now()).lastInsertRowid);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** How long a statement blocks while another process writes, before it fails as busy. */
  waitWhileBusy(milliseconds: number): void {
    this.#database.exec(`PRAGMA busy_timeout = ${milliseconds}`);
  }

  /** Writes all rows or, if it throws, none. */
  write(inputs: readonly InputRow[], outputs: readonly OutputRow[]): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const addInput = this.#database.prepare("INSERT OR REPLACE INTO history VALUES (?, ?, ?, ?)");
      for (const { line, source, input } of inputs) addInput.run(this.#session, line, source, input);
      const addOutput = this.#database.prepare("INSERT OR REPLACE INTO output_history VALUES (?, ?, ?)");
      for (const { line, output } of outputs) addOutput.run(this.#session, line, output);
      this.#database.exec("COMMIT");
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
    this.#lines += inputs.length;
  }

  /** Oldest first. */
  query(request: HistoryRequest): HistoryItem[] {
    return this.#select(request).map(({ session, line, input, output }) => [
      session,
      line,
      request.output ? [input, output] : input,
    ]);
  }

  /** Records that the session has ended. The file is closed even if that fails. */
  close(): void {
    try {
      const end = this.#database.prepare("UPDATE sessions SET end = ?, num_cmds = ? WHERE session = ?");
      end.run(now(), this.#lines, this.#session);
    } finally {
      this.#database.close();
    }
  }

  #select(request: HistoryRequest): FoundRow[] {
    const input = request.raw ? "source_raw" : "source";
    const rows = `SELECT session, line, ${input} AS input, output FROM history LEFT JOIN output_history USING (session, line)`;
    const latest = "ORDER BY session DESC, line DESC LIMIT ?";
    switch (request.access) {
      case "tail":
        return this.#rows(`${rows} ${latest}`, Math.max(0, request.n)).reverse();
      case "search": {
        const found = `${rows} WHERE input GLOB ?`;
        const ranked = `SELECT *, row_number() OVER (PARTITION BY input ORDER BY session DESC, line DESC) AS nth FROM (${found})`;
        const wanted = request.unique ? `SELECT * FROM (${ranked}) WHERE nth = 1` : found;
        return this.#rows(`${wanted} ${latest}`, request.pattern, Math.max(0, request.n)).reverse();
      }
      case "range": {
        // 0 is the current session, negative numbers count back from it.
        const session = request.session > 0 ? request.session : this.#session + request.session;
        const fromEnd = (line: number): number => (line < 0 ? line + this.#endOf(session) : line);
        const where = "WHERE session = ? AND line >= ? AND line < ? ORDER BY line";
        return this.#rows(`${rows} ${where}`, session, fromEnd(request.start), fromEnd(request.stop));
      }
    }
  }

  /** The line after a session's last one. */
  #endOf(session: number): number {
    const [row] = this.#rows("SELECT max(line) AS line FROM history WHERE session = ?", session);
    return (row?.line ?? 0) + 1;
  }

  #rows(sql: string, ...parameters: (string | number)[]): FoundRow[] {
    return this.#database.prepare(sql).all(...parameters) as FoundRow[];
  }
}

/** Returns the time as Python's sqlite3 writes a datetime. */
function now(): string {
  return new Date().toISOString().replace("T", " ").replace("Z", "");
}
