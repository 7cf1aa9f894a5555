// Sums up events of one name, and prints them as a table, as PyTorch's `key_averages().table()`. Pure functions.
import { inspect } from "node:util";
import { DISPLAY, type MimeBundle } from "../../display.ts";
import { folded } from "../../views/fold.ts";
import { columns } from "../../views/table.ts";
import { tableHtml } from "../../views/table_html.ts";
import { checkChoice } from "../vocabulary/arguments.ts";
import {
  boolean,
  integer,
  type OpenRules,
  optional,
  readOptions,
  type Rules,
} from "../vocabulary/options.ts";
import type { ProfilerEvent } from "./events.ts";

/** The sums over all events of one name. Times in milliseconds. */
export interface EventAverage {
  readonly key: string;
  readonly count: number;
  readonly cpuTimeMs: number;
  readonly selfCpuTimeMs: number;
  readonly cpuTimeAverageMs: number;
  readonly deviceTimeMs: number;
  readonly selfDeviceTimeMs: number;
  readonly deviceTimeAverageMs: number;
  /** Mean time in the device's queue. */
  readonly queueTimeAverageMs: number;
  readonly cpuMemoryBytes: number;
  readonly selfCpuMemoryBytes: number;
  readonly deviceMemoryBytes: number;
  readonly selfDeviceMemoryBytes: number;
  /** The inputs' shapes, if `groupByInputShape` is set. */
  readonly inputShapes: string;
  /** The lines of the stack, if `groupByStackN` is set. */
  readonly stack: readonly string[];
}

const SUMMED = [
  "cpuTimeMs",
  "selfCpuTimeMs",
  "deviceTimeMs",
  "selfDeviceTimeMs",
  "cpuMemoryBytes",
  "selfCpuMemoryBytes",
  "deviceMemoryBytes",
  "selfDeviceMemoryBytes",
] as const;

const SORTABLE = [
  "count",
  ...SUMMED,
  "cpuTimeAverageMs",
  "deviceTimeAverageMs",
  "queueTimeAverageMs",
] as const;

type Sortable = (typeof SORTABLE)[number];

/** PyTorch's names of these columns; a time without "total" is a mean. */
const OF_PYTORCH = {
  cpu_time: "cpuTimeAverageMs",
  cpu_time_total: "cpuTimeMs",
  self_cpu_time_total: "selfCpuTimeMs",
  device_time: "deviceTimeAverageMs",
  device_time_total: "deviceTimeMs",
  self_device_time_total: "selfDeviceTimeMs",
  cuda_time: "deviceTimeAverageMs",
  cuda_time_total: "deviceTimeMs",
  self_cuda_time_total: "selfDeviceTimeMs",
  cpu_memory_usage: "cpuMemoryBytes",
  self_cpu_memory_usage: "selfCpuMemoryBytes",
  device_memory_usage: "deviceMemoryBytes",
  self_device_memory_usage: "selfDeviceMemoryBytes",
  cuda_memory_usage: "deviceMemoryBytes",
  self_cuda_memory_usage: "selfDeviceMemoryBytes",
} as const satisfies Record<string, Sortable>;

/** A column by its name here, `selfCpuTimeMs`, or by PyTorch's name, `self_cpu_time_total`. */
export type SortColumn = Sortable | keyof typeof OF_PYTORCH;

function columnNamed(call: string, name: string, value: unknown): Sortable {
  const named = typeof value === "string" && Object.hasOwn(OF_PYTORCH, value);
  return named ? OF_PYTORCH[value as keyof typeof OF_PYTORCH] : checkChoice(call, name, value, SORTABLE);
}

export interface AverageOptions {
  /** Whether each combination of input shapes has a row of its own. Default: false. */
  readonly groupByInputShape?: boolean;
  /** How many lines of the stack distinguish rows; 0 for no distinction. Default: 0. */
  readonly groupByStackN?: number;
}

export interface TableOptions {
  /** The column by which rows are sorted, the largest first. Default: the order in which they first ran. */
  readonly sortBy?: SortColumn;
  /** The most rows. Default: 100. */
  readonly rowLimit?: number;
  /** Longer names are cut. Default: 55. */
  readonly maxNameColumnWidth?: number;
}

const GROUP_RULES: Rules<AverageOptions> = {
  groupByInputShape: boolean(false),
  groupByStackN: integer(0, 0),
};

const TABLE_RULES = {
  sortBy: optional(columnNamed),
  rowLimit: integer(100, 1),
  maxNameColumnWidth: integer(55, 4),
} satisfies OpenRules<TableOptions>;

export function averagesOf(events: readonly ProfilerEvent[], options?: AverageOptions): EventAverages {
  const call = "keyAverages";
  const { groupByInputShape, groupByStackN } = readOptions<AverageOptions>(call, options, GROUP_RULES);
  const groups = new Map<
    string,
    { readonly events: ProfilerEvent[]; readonly shapes: string; readonly stack: string[] }
  >();
  for (const event of events) {
    const shapes = groupByInputShape ? event.inputShapes : "";
    const stack = event.stack.slice(0, groupByStackN);
    const key = JSON.stringify([event.name, shapes, stack]);
    const group = groups.get(key);
    if (group) group.events.push(event);
    else groups.set(key, { events: [event], shapes, stack });
  }
  const rows = Array.from(groups.values(), ({ events: same, shapes, stack }) => average(same, shapes, stack));
  return new EventAverages(rows, {
    device: events.some(({ deviceBeginMs }) => deviceBeginMs !== null),
    memory: events.some(
      ({ cpuMemoryBytes, deviceMemoryBytes }) => cpuMemoryBytes !== 0 || deviceMemoryBytes !== 0,
    ),
    shapes: groupByInputShape,
    stacks: groupByStackN > 0,
  });
}

function average(
  events: readonly ProfilerEvent[],
  inputShapes: string,
  stack: readonly string[],
): EventAverage {
  const sum = (of: (event: ProfilerEvent) => number) => events.reduce((total, event) => total + of(event), 0);
  const sums = Object.fromEntries(SUMMED.map((name) => [name, sum((event) => event[name])])) as Record<
    (typeof SUMMED)[number],
    number
  >;
  const count = events.length;
  return {
    key: events[0]!.name,
    count,
    ...sums,
    cpuTimeAverageMs: sums.cpuTimeMs / count,
    deviceTimeAverageMs: sums.deviceTimeMs / count,
    queueTimeAverageMs: sum(({ queueTimeMs }) => queueTimeMs) / count,
    inputShapes,
    stack,
  };
}

/** Returns the columns that are not empty. */
interface Shown {
  readonly device: boolean;
  readonly memory: boolean;
  readonly shapes: boolean;
  readonly stacks: boolean;
}

interface Column {
  readonly title: string;
  readonly when: (shown: Shown) => boolean;
  readonly text: (row: EventAverage, totals: Totals) => string;
}

interface Totals {
  readonly cpuMs: number;
  readonly deviceMs: number;
}

const always = (): boolean => true;
const onDevice = ({ device }: Shown): boolean => device;
const percent = (part: number, whole: number): string =>
  `${(whole === 0 ? 0 : (100 * part) / whole).toFixed(2)}%`;

/** `12.345us`, `1.234ms`, `2.345s` */
function duration(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(3)}s`;
  return ms >= 1 ? `${ms.toFixed(3)}ms` : `${(ms * 1000).toFixed(3)}us`;
}

/** `-1.50 KiB` */
function bytes(count: number): string {
  const units = ["B", "KiB", "MiB", "GiB"] as const;
  let value = count;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(2)} ${units[unit]}`;
}

const COLUMNS: readonly Column[] = [
  { title: "Self CPU %", when: always, text: (row, { cpuMs }) => percent(row.selfCpuTimeMs, cpuMs) },
  { title: "Self CPU", when: always, text: (row) => duration(row.selfCpuTimeMs) },
  { title: "CPU total %", when: always, text: (row, { cpuMs }) => percent(row.cpuTimeMs, cpuMs) },
  { title: "CPU total", when: always, text: (row) => duration(row.cpuTimeMs) },
  { title: "CPU time avg", when: always, text: (row) => duration(row.cpuTimeAverageMs) },
  { title: "Queue avg", when: onDevice, text: (row) => duration(row.queueTimeAverageMs) },
  { title: "Self device", when: onDevice, text: (row) => duration(row.selfDeviceTimeMs) },
  {
    title: "Self device %",
    when: onDevice,
    text: (row, { deviceMs }) => percent(row.selfDeviceTimeMs, deviceMs),
  },
  { title: "Device total", when: onDevice, text: (row) => duration(row.deviceTimeMs) },
  { title: "Device time avg", when: onDevice, text: (row) => duration(row.deviceTimeAverageMs) },
  { title: "CPU Mem", when: ({ memory }) => memory, text: (row) => bytes(row.cpuMemoryBytes) },
  { title: "Self CPU Mem", when: ({ memory }) => memory, text: (row) => bytes(row.selfCpuMemoryBytes) },
  {
    title: "Device Mem",
    when: ({ memory, device }) => memory && device,
    text: (row) => bytes(row.deviceMemoryBytes),
  },
  {
    title: "Self Device Mem",
    when: ({ memory, device }) => memory && device,
    text: (row) => bytes(row.selfDeviceMemoryBytes),
  },
  { title: "# of Calls", when: always, text: (row) => String(row.count) },
  { title: "Input Shapes", when: ({ shapes }) => shapes, text: (row) => row.inputShapes },
  { title: "Source Location", when: ({ stacks }) => stacks, text: (row) => row.stack.join(" < ") },
];

/** An array of averages that can be shown as a table. */
export class EventAverages extends Array<EventAverage> {
  readonly #shown: Shown;

  constructor(rows: readonly EventAverage[], shown: Shown) {
    super();
    this.push(...rows);
    this.#shown = shown;
  }

  /** `map` and similar methods return plain arrays. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  get selfCpuTimeTotalMs(): number {
    return this.reduce((sum, row) => sum + row.selfCpuTimeMs, 0);
  }

  table(options?: TableOptions): string {
    const { cells, footer } = this.#cells(options);
    return [...aligned(cells), ...footer].join("\n");
  }

  #cells(options?: TableOptions): { cells: string[][]; footer: string[] } {
    const { sortBy, rowLimit, maxNameColumnWidth } = readOptions("table", options, TABLE_RULES);
    const sorted = sortBy === undefined ? this : this.toSorted((a, b) => b[sortBy] - a[sortBy]);
    const totals = {
      cpuMs: this.selfCpuTimeTotalMs,
      deviceMs: this.reduce((sum, row) => sum + row.selfDeviceTimeMs, 0),
    };
    const columns = COLUMNS.filter(({ when }) => when(this.#shown));
    const cut = (name: string) =>
      name.length > maxNameColumnWidth ? `${name.slice(0, maxNameColumnWidth - 3)}...` : name;
    const cells = [
      ["Name", ...columns.map(({ title }) => title)],
      ...sorted
        .slice(0, rowLimit)
        .map((row) => [cut(row.key), ...columns.map(({ text }) => text(row, totals))]),
    ];
    const footer = [`Self CPU time total: ${duration(totals.cpuMs)}`];
    if (this.#shown.device) footer.push(`Self device time total: ${duration(totals.deviceMs)}`);
    return { cells, footer };
  }

  [DISPLAY](): MimeBundle {
    const { cells, footer } = this.#cells();
    const [headings = [], ...rows] = cells;
    const [name = "", ...others] = headings;
    const view = { caption: "", columns: columns(`<${name}`, ...others), rows, notes: footer };
    return { "text/html": tableHtml(folded(view)), "text/plain": this.table() };
  }

  [inspect.custom](): string {
    return this.table();
  }

  override toString(): string {
    return this.table();
  }
}

/** The columns, aligned to the right, between rules of dashes. */
function aligned(cells: readonly (readonly string[])[]): string[] {
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  const lines = cells.map((row) => row.map((cell, column) => cell.padStart(widths[column]!)).join("  "));
  return [rule, lines[0]!, rule, ...lines.slice(1), rule];
}
