// Which metrics share a panel: those that measure the same on other data, `loss` and `validLoss`, are looked at together.

const DATA: ReadonlySet<string> = new Set([
  "train",
  "training",
  "valid",
  "validation",
  "val",
  "test",
  "testing",
  "eval",
  "dev",
]);
/** More lines in a small panel would not be told apart. */
const MAX_TOGETHER = 3;

/** `["loss", "accuracy", "validLoss"]` -> `[["loss", "validLoss"], ["accuracy"]]` */
export function metricGroups(names: readonly string[]): string[][] {
  const groups: { readonly measure: string; readonly names: string[] }[] = [];
  for (const name of names) {
    const measure = measureOf(name);
    const group = groups.find((one) => one.measure === measure && one.names.length < MAX_TOGETHER);
    if (group === undefined) groups.push({ measure, names: [name] });
    else group.names.push(name);
  }
  return groups.map((group) => group.names);
}

/** `validLoss`, `val_loss`, `loss/train` -> `loss`; of `train` and `validation` alone nothing is left, which is the same. */
function measureOf(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.filter((word) => !DATA.has(word)).join(" ");
}
