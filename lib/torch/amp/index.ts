// Exports the `amp` namespace: automatic mixed precision.
export { autocast, type AutocastOptions } from "./autocast.ts";
export { GradScaler, type GradScalerOptions, type GradScalerState } from "./grad_scaler.ts";
export type { SkippedSteps } from "./skipped_steps.ts";
