// Lists TypeScript's libraries by Node's major version. What Node adds to the language (`process`, `fetch`) is in
// `@types/node`.

/**
 * Each row adds to those before it. `using` itself, which the compiler lowers for every Node, needs no more than
 * `Disposable` and `Symbol.dispose`: they are in `@types/node`. The session
 * gives each Node the `Symbol.metadata` of `esnext.decorators`.
 */
const ADDED_LIBS: readonly { readonly major: number; readonly libs: readonly string[] }[] = [
  {
    major: 20,
    libs: ["es2023", "es2024.regexp", "es2024.sharedmemory", "es2024.string", "esnext.decorators"],
  },
  { major: 21, libs: ["es2024.arraybuffer", "es2024.collection", "es2024.object"] },
  { major: 22, libs: ["es2024", "es2025.collection", "es2025.iterator", "esnext.array"] },
  { major: 24, libs: ["es2025", "esnext.disposable", "esnext.error", "esnext.sharedmemory"] },
];

/**
 * Returns the values for `compilerOptions.lib`. A Node newer than the table has at least the features of the last row.
 */
export function nodeLibs(major: number): string[] {
  return ADDED_LIBS.filter((row) => row.major <= major).flatMap(({ libs }) => libs);
}
