/** Too few or too many rows: compaction replaced a segment meanwhile, or ClickHouse lost rows. */
export class Miscount extends Error {}
