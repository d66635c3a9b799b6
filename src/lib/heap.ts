import { setFlagsFromString } from 'node:v8';

/**
 * Sets how far the heap of this process grows, in percent of what lived after the last collection, before V8 marks all
 * of it again. Call it once, at the start.
 *
 * Left alone V8 allows little while uploads run, since memory of buffers counts as growth: a heap of 30 MB is then marked
 * once or twice per chunk, a third of the CPU time of an upload. Buffers are still bounded, by the 64 MB after which V8
 * collects whatever the heap does.
 */
export const collectAfterGrowth = (percent: number): void =>
  setFlagsFromString(`--heap-growing-percent=${percent}`);
