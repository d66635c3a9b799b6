/** Rows that are missing, or too many: a segment that compaction replaced meanwhile, or ClickHouse lost rows. */
export class Miscount extends Error {}
