import type { StoredColumn } from '../model/column.js';
import {
  type CompiledFilter,
  compileFilter,
  compileFilterYielding,
  type FilterColumn,
  type FilterLimits,
} from './filter/filter.js';
import { compileSearch } from './filter/search.js';
import { filterColumnsOf } from './plan.js';

/** A request with a filter, a search, or both; known by its identity. */
interface FilterRequest {
  readonly options: {
    readonly filter: string | undefined;
    readonly search?: string | undefined;
    readonly apply?: string | undefined;
  };
  readonly filterKey?: FilterColumn | undefined;
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

/** The condition that is true where the filter and the search are; their parameters have names of their own. */
const both = (
  filter: CompiledFilter | undefined,
  { search, columns }: { search: string | undefined; columns: readonly FilterColumn[] },
): CompiledFilter | undefined => {
  if (search === undefined) return filter;
  const found = compileSearch(search, columns);
  if (filter === undefined) return found;
  return {
    sql: `(${filter.sql}) AND (${found.sql})`,
    params: { ...filter.params, ...found.params },
    normalized: `and(${filter.normalized},${found.normalized})`,
  };
};

/** Columns with a key, once per version that is in use. */
const keyed = new WeakMap<
  readonly StoredColumn[],
  { readonly key: FilterColumn; readonly columns: readonly FilterColumn[] }
>();

/** Columns that the conditions of a request may name: those of the version and its key, which rows made by `$apply` do not have. */
const columnsFor = (
  { filterKey: key, options }: FilterRequest,
  columns: readonly StoredColumn[],
): readonly FilterColumn[] => {
  if (key === undefined || options.apply !== undefined) return filterColumnsOf(columns);
  const known = keyed.get(columns);
  if (known?.key === key) return known.columns;
  const made = [...filterColumnsOf(columns), key];
  keyed.set(columns, { key, columns: made });
  return made;
};

/** @param compileText Compiles a filter at once. */
export const createRequestFilters = (compileText = compileFilter): RequestFilters => {
  const compiled = new WeakMap<FilterRequest, { columns: readonly StoredColumn[]; filter: CompiledFilter }>();

  const isLong = ({ options }: FilterRequest): boolean => (options.filter?.length ?? 0) >= longText;

  const compile: RequestFilters['compile'] = (request, columns) => {
    const { filter: text, search } = request.options;
    if (text === undefined && search === undefined) return undefined;
    const known = compiled.get(request);
    if (known !== undefined && isSameColumns(known.columns, columns)) return known.filter;
    const found = columnsFor(request, columns);
    const filter = both(text === undefined ? undefined : compileText(text, found, request.filterLimits), {
      search,
      columns: found,
    });
    if (filter !== undefined) compiled.set(request, { columns, filter });
    return filter;
  };

  return {
    isLong,
    compile,
    async compileYielding(request, columns) {
      const { filter, search } = request.options;
      if (filter === undefined || !isLong(request)) return compile(request, columns);
      const found = columnsFor(request, columns);
      const condition = await compileFilterYielding(filter, found, request.filterLimits);
      return both(condition, { search, columns: found });
    },
  };
};
