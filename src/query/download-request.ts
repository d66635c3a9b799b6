import type { StoredColumn } from '../model/column.js';
import type { FilterColumn, FilterLimits } from './filter/filter.js';
import type { Sheet } from './formats/format.js';
import type { Format } from './formats/formats.js';
import type { DownloadOptions } from './options/options.js';
import type { Plan } from './plan.js';

export interface DownloadRequest {
  readonly dataset: {
    readonly id: number;
    readonly currentVersionId: number | null;
    readonly columnsRevision: number;
  };
  readonly options: DownloadOptions;
  /** Negotiated format; `options.format` may be undefined. */
  readonly format: Format;
  /** Key of the concurrency limit: the account, or the address of an anonymous caller. */
  readonly owner: string;
  /** Called before a permit is acquired, so that the caller can release its own. */
  readonly beforeAcquire?: () => void;
  readonly filterLimits?: Partial<FilterLimits>;
  /** Virtual key column that filters may use, for protocols that expose one. */
  readonly filterKey?: FilterColumn | undefined;
  /** Renames the columns of the result of `$apply` before the other options are read, for protocols with identifiers. */
  readonly renameApplied?: (columns: readonly StoredColumn[]) => readonly StoredColumn[];
  /** Description of the rows, for formats that can include it. */
  readonly about?: Sheet | undefined;
  /** Changes the projection or page, for protocols with their own. */
  readonly adapt?: (plan: Plan) => Plan;
  /** Cancels the queries when the client disconnects. */
  readonly signal: AbortSignal;
  readonly requestId: string;
}
