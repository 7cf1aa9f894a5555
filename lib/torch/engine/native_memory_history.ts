// Declares the addon's functions that record allocations (`native/call/memory_history.cc`). Types only.

/** What was recorded so far. */
export interface NativeHistory {
  /** The latest events, 32 bytes each: `AllocationEvent` of `native/memory/allocation_history.h`. */
  readonly events: ArrayBuffer;
  /** Live allocations whose events fell out of `events`. */
  readonly olderBlocks: ArrayBuffer;
  readonly droppedEvents: number;
  /** The names that events refer to by index; "" first. */
  readonly operations: readonly string[];
  /** The cells that events refer to where their line was not read. */
  readonly origins: readonly string[];
}

export interface NativeMemoryHistory {
  /**
   * Records every allocation and release of this process from now on.
   *
   * @param options `resultsOf`: a device whose allocator reports nothing, such as Metal's. The results of operators
   *   count as its allocations.
   * @param readPlace returns a number from 1 up for the running stack; called inside operators
   * @throws Error if something records already
   */
  startMemoryHistory(
    options: { readonly maxEvents: number; readonly everyLine: boolean; readonly resultsOf?: string },
    readPlace: () => number,
  ): void;
  /** Ends the recording and forgets it; nothing if there is none. */
  stopMemoryHistory(): void;
  memoryHistory(): NativeHistory;
  /** How many events there were since the start. */
  memoryHistoryEvents(): number;
}
