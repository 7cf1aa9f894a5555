// Exports the `torch.profiler` namespace.
export type { AverageOptions, EventAverage, EventAverages, SortColumn, TableOptions } from "./averages.ts";
export type { ProfilerEvent } from "./events.ts";
export { Profile, profile, type ProfileOptions, recordFunction } from "./profile.ts";
export { type ProfilerAction, type Schedule, schedule, type ScheduleOptions } from "./schedule.ts";
