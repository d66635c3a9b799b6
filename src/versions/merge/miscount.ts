/** Wrong number of rows: a compaction replaced a segment meanwhile, or ClickHouse lost rows. */
export class Miscount extends Error {}
