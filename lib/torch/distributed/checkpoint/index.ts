// Exports `distributed.checkpoint`.
export { type CheckpointOptions, load, save } from "./checkpoint.ts";
