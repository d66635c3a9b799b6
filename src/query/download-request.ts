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
  /** Format of the answer; `options.format` is the requested one, if any. */
  readonly format: Format;
  /** Owner of permits: the account, or the address of an anonymous caller. */
  readonly owner: string;
  /** Called before a permit is acquired: the caller releases the one that it holds. */
  readonly beforeAcquire?: () => void;
  readonly filterLimits?: Partial<FilterLimits>;
  /** A column of no version that conditions on rows of the version may name, for protocols that show one. */
  readonly filterKey?: FilterColumn | undefined;
  /** Description of the rows, for formats that have a place for it. */
  readonly about?: Sheet | undefined;
  /** Another projection or page of the same rows, for protocols that have their own. */
  readonly adapt?: (plan: Plan) => Plan;
  /** Ends the queries when the client is gone. */
  readonly signal: AbortSignal;
  readonly requestId: string;
}
