export interface ReadContext {
  readonly queryId: string;
  /** Undefined for background work. */
  readonly requestId?: string | undefined;
  readonly signal: AbortSignal;
  /** Account or address whose heavy queries run one at a time; undefined for light queries. */
  readonly owner?: string | undefined;
}

/** Queries over fewer rows take milliseconds. */
const manyRows = 100_000;

/** True for heavy queries, which are limited per owner and run at low priority. */
export const isMany = (rows: number): boolean => rows >= manyRows;

/** Owner for the limit on heavy queries; undefined for light queries. */
export const ownerOfMany = (rows: number, owner: string): string | undefined =>
  isMany(rows) ? owner : undefined;
