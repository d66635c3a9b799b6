/** Settings by which everything that happens in the background happens all the time. */
export const restless = {
  // Datasets come and go between shared tables and tables of their own.
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
