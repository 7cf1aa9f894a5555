// Declares the addon's functions for the Metal device (`native/device/mps.cc`). Types only.

export interface NativeMps {
  deviceName(): string;
  coreCount(): number;
  isMacosOrNewer(major: number, minor: number): boolean;
  /** A stream of the pool, by number; 0 is the default one. */
  newStream(): number;
  currentStream(): number;
  setStream(stream: number): void;
  synchronizeStream(stream: number): void;
  startSignposts(mode: string, waitUntilCompleted: boolean): void;
  stopSignposts(): void;
  captureEnabled(): boolean;
  isCapturing(): boolean;
  startCapture(name: string): void;
  stopCapture(): void;
}
