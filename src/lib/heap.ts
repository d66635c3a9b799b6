import { setFlagsFromString } from 'node:v8';

/**
 * Sets how far the heap of this process grows, in percent of the live data after the last collection, before V8 marks all of it again. Call
 * it once, at the start.
 *
 * By default V8 allows little growth while uploads run, since memory of buffers counts as growth: a heap of 30 MB is then marked once or
 * twice per chunk, which takes a third of the CPU time of an upload. Buffers are still limited: V8 collects after 64 MB of them regardless
 * of the heap.
 */
export const collectAfterGrowth = (percent: number): void =>
  setFlagsFromString(`--heap-growing-percent=${percent}`);
