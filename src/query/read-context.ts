export interface ReadContext {
  readonly queryId: string;
  /** Request that the query answers; undefined: none waits for it. */
  readonly requestId?: string | undefined;
  readonly signal: AbortSignal;
  /** Account or address whose heavy queries take turns; undefined: the rows are too few to limit it. */
  readonly owner?: string | undefined;
}

/** Queries of fewer rows take milliseconds. */
const manyRows = 100_000;

/** True for rows that keep a core busy: queries over them take turns, at low priority. */
export const isMany = (rows: number): boolean => rows >= manyRows;

/** Owner under which a query of this many rows is limited; undefined for light queries. */
export const ownerOfMany = (rows: number, owner: string): string | undefined =>
  isMany(rows) ? owner : undefined;
