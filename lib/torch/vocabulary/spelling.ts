// Converts names to the spelling of PyTorch's files: `weightDecay` becomes `weight_decay`.

/** `runningMean` -> `running_mean`, `beta2Decay` -> `beta2_decay`. */
export function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}

/** `exp_avg_sq` -> `expAvgSq`. What `native/codegen/names.ts` makes of operators' names when it is built, which imports nothing of `lib/`. */
export function camelCase(key: string): string {
  return key.replace(/(?<=[A-Za-z0-9])_+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
