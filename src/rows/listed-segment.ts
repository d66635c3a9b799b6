/** A segment of a version, as compaction uses it. */
export interface ListedSegment {
  readonly id: number;
  readonly uploadNumber: number;
  readonly rows: number;
  /** Raw bytes of its rows. */
  readonly bytes: number;
  readonly patch: boolean;
  /** Rows that it makes invisible, of a patch. */
  readonly hidden: number;
  /** False where the version has only its first rows. */
  readonly whole: boolean;
}

/** A dataset whose current version has many segments or patched rows. */
export interface CompactionCandidate {
  readonly storeId: number;
  readonly datasetId: number;
}
