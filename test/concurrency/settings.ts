/** Settings that make background work run all the time. */
export const restless = {
  // Datasets move between shared pools and tables of their own.
  poolMaxRows: '150',
  poolDropIntervalMs: '1000',
  storageSweepIntervalMs: '1000',
  sweepIntervalMs: '1000',
  segmentGraceMs: '5000',
  compactionIntervalMs: '500',
  compactionMinSegments: '2',
  firstChunkBytes: '8192',
  chunkBytes: '16384',
  exportsIntervalMs: '1000',
};
