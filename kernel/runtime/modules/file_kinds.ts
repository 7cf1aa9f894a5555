// Decides from a file's name what it contains.

const CODE = /\.(?:[cm]?[jt]s|[jt]sx)$/;
const TYPESCRIPT = /\.(?:m?ts|tsx)$/;

/** Whether the parser reads it: JavaScript or TypeScript of any kind. */
export function isCode(file: string): boolean {
  return CODE.test(file);
}

/** Whether it is compiled before Node gets it. */
export function isTypeScript(file: string): boolean {
  return TYPESCRIPT.test(file);
}
