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

/** A request with a filter, a search, or both; cached by object identity. */
interface FilterRequest {
  readonly options: {
    readonly filter: string | undefined;
    readonly search?: string | undefined;
    readonly apply?: string | undefined;
  };
  readonly filterKey?: FilterColumn | undefined;
  readonly filterLimits?: Partial<FilterLimits>;
}

/** Compiles the filter of a request once, although a request may be planned twice. */
interface RequestFilters {
  /** True for filters that are compiled in time slices. */
  isLong(request: FilterRequest): boolean;
  compile(request: FilterRequest, columns: readonly StoredColumn[]): CompiledFilter | undefined;
  /** Like `compile`, but compiles a long filter in time slices. */
  compileYielding(
    request: FilterRequest,
    columns: readonly StoredColumn[],
  ): Promise<CompiledFilter | undefined>;
}

/** In characters. */
const longText = 8_000;

/** True if a filter compiled for one list is valid for the other. */
const isSameColumns = (a: readonly StoredColumn[], b: readonly StoredColumn[]): boolean =>
  a === b ||
  (a.length === b.length &&
    a.every(({ name, id, storageId, physical }, at) => {
      const other = b[at]!;
      return (
        name === other.name && id === other.id && storageId === other.storageId && physical === other.physical
      );
    }));

/** Conjunction of filter and search, whose parameters have different prefixes. */
const withSearch = (
  filter: CompiledFilter | undefined,
  { search, columns }: { search: string | undefined; columns: readonly FilterColumn[] },
): CompiledFilter | undefined => {
  if (search === undefined) return filter;
  const compiled = compileSearch(search, columns);
  if (filter === undefined) return compiled;
  return {
    sql: `(${filter.sql}) AND (${compiled.sql})`,
    params: { ...filter.params, ...compiled.params },
    normalized: `and(${filter.normalized},${compiled.normalized})`,
  };
};

const keyed = new WeakMap<
  readonly StoredColumn[],
  { readonly key: FilterColumn; readonly columns: readonly FilterColumn[] }
>();

/** Columns that conditions may use: those of the version, and its key unless `$apply` changes the rows. */
const columnsFor = (
  { filterKey: key, options }: FilterRequest,
  columns: readonly StoredColumn[],
): readonly FilterColumn[] => {
  if (key === undefined || options.apply !== undefined) return filterColumnsOf(columns);
  const cached = keyed.get(columns);
  if (cached?.key === key) return cached.columns;
  const withKey = [...filterColumnsOf(columns), key];
  keyed.set(columns, { key, columns: withKey });
  return withKey;
};

export const createRequestFilters = (compileText = compileFilter): RequestFilters => {
  const compiled = new WeakMap<FilterRequest, { columns: readonly StoredColumn[]; filter: CompiledFilter }>();

  const isLong = ({ options }: FilterRequest): boolean => (options.filter?.length ?? 0) >= longText;

  const compile: RequestFilters['compile'] = (request, columns) => {
    const { filter: text, search } = request.options;
    if (text === undefined && search === undefined) return undefined;
    const cached = compiled.get(request);
    if (cached !== undefined && isSameColumns(cached.columns, columns)) return cached.filter;
    const usable = columnsFor(request, columns);
    const condition = text === undefined ? undefined : compileText(text, usable, request.filterLimits);
    const filter = withSearch(condition, { search, columns: usable });
    if (filter !== undefined) compiled.set(request, { columns, filter });
    return filter;
  };

  return {
    isLong,
    compile,
    async compileYielding(request, columns) {
      const { filter, search } = request.options;
      if (filter === undefined || !isLong(request)) return compile(request, columns);
      const usable = columnsFor(request, columns);
      const condition = await compileFilterYielding(filter, usable, request.filterLimits);
      return withSearch(condition, { search, columns: usable });
    },
  };
};
