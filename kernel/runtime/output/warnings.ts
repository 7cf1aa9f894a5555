// Prints Node's warnings, and the library's, as a cell shows them. Node would begin with the number of a process that the reader
// never started, and advise an option of a command that the reader never typed.

/** @param print writes into the output of the cell that warns */
export function showWarnings(print: (text: string) => void): void {
  // NODE_NO_WARNINGS: Node listens to none.
  if (process.listenerCount("warning") === 0) return;
  process.removeAllListeners("warning");
  // Node's own listener leaves these out, as `--disable-warning=ExperimentalWarning`.
  const option = "--disable-warning=";
  const disabled = new Set(
    process.execArgv.flatMap((one) => (one.startsWith(option) ? [one.slice(option.length)] : [])),
  );
  process.on("warning", (warning: Error & { readonly code?: string }) => {
    const { name, message, code = "" } = warning;
    if (!disabled.has(name) && !disabled.has(code))
      print(`${name}${code === "" ? "" : ` [${code}]`}: ${message}\n`);
  });
}
