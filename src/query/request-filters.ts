import type { StoredColumn } from '../model/column.js';
import {
  type CompiledFilter,
  compileFilter,
  compileFilterYielding,
  type FilterLimits,
} from './filter/filter.js';
import { filterColumnsOf } from './plan.js';

/** A request with a filter; known by its identity. */
interface FilterRequest {
  readonly options: { readonly filter: string | undefined };
  readonly filterLimits?: Partial<FilterLimits>;
}

/** The filters of requests, each compiled once though a request may be planned twice. */
interface RequestFilters {
  /** True for filters that are compiled in time slices. */
  isLong(request: FilterRequest): boolean;
  compile(request: FilterRequest, columns: readonly StoredColumn[]): CompiledFilter | undefined;
  /** The same, yielding to other requests where the filter is long. */
  compileYielding(
    request: FilterRequest,
    columns: readonly StoredColumn[],
  ): Promise<CompiledFilter | undefined>;
}

/** Characters from which on a filter is long. */
const longText = 8_000;

/** True when a filter that was compiled for the one fits the other. */
const isSameColumns = (a: readonly StoredColumn[], b: readonly StoredColumn[]): boolean =>
  a === b ||
  (a.length === b.length &&
    a.every(({ name, id, storageId, physical }, at) => {
      const other = b[at]!;
      return (
        name === other.name && id === other.id && storageId === other.storageId && physical === other.physical
      );
    }));

/** @param compileText Compiles a filter at once. */
export const createRequestFilters = (compileText = compileFilter): RequestFilters => {
  const compiled = new WeakMap<FilterRequest, { columns: readonly StoredColumn[]; filter: CompiledFilter }>();

  const isLong = ({ options }: FilterRequest): boolean => (options.filter?.length ?? 0) >= longText;

  const compile: RequestFilters['compile'] = (request, columns) => {
    if (request.options.filter === undefined) return undefined;
    const known = compiled.get(request);
    if (known !== undefined && isSameColumns(known.columns, columns)) return known.filter;
    const filter = compileText(request.options.filter, filterColumnsOf(columns), request.filterLimits);
    compiled.set(request, { columns, filter });
    return filter;
  };

  return {
    isLong,
    compile,
    async compileYielding(request, columns) {
      const { filter } = request.options;
      if (filter === undefined || !isLong(request)) return compile(request, columns);
      return compileFilterYielding(filter, filterColumnsOf(columns), request.filterLimits);
    },
  };
};
