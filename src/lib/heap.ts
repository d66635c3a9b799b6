import { setFlagsFromString } from 'node:v8';

/**
 * Growth, in percent of what lived after the last collection, that V8 allows before it marks the whole heap again.
 * Left alone it allows little while uploads run, since memory of buffers counts as growth: a heap of 30 MB is then
 * marked once or twice per chunk, a third of the CPU time of an upload. Buffers are still bounded, by the 64 MB after
 * which V8 collects whatever the heap does.
 */
const growthPercent = 200;

/** Sets how far the heap of this process grows between two collections. Call it once, at the start. */
export const collectByGrowth = (): void => setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
