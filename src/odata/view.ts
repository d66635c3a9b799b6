/** Versions in the form that OData uses: the same columns, with identifiers as names. */
import { invalid } from '../lib/errors.js';
import { weakMemo } from '../lib/weak-memo.js';
import type { Column, StoredColumn } from '../model/column.js';
import { columnTypeOf } from '../model/column-types/column-types.js';
import type { ReadableVersion } from '../model/version.js';
import type { FilterColumn } from '../query/filter/filter.js';
import type { Versions } from '../query/versions.js';
import { rowOrder } from '../rows/index.js';
import { identifierOf, isIdentifier, rowKey } from './identifiers.js';

export type EdmType = 'Edm.Date' | 'Edm.Decimal' | 'Edm.String';

/**
 * Type of a column. Numbers that do not fit into a double are texts, since clients parse JSON numbers as doubles, whatever `$metadata`
 * says, and would round them.
 */
export const edmTypeOf = ({ physical }: Pick<StoredColumn, 'physical'>): EdmType => {
  const { dataType, numbers } = columnTypeOf(physical);
  if (dataType === 'Date') return 'Edm.Date';
  return numbers === 'doubles' ? 'Edm.Decimal' : 'Edm.String';
};

/** A property of `Rows`, for `$metadata`. */
export interface Property extends Pick<Column, 'dataType'> {
  readonly identifier: string;
  /** Name of the column. */
  readonly name: string;
  readonly type: EdmType;
}

/** The key in conditions: a number, which may be quoted like numbers that are texts here. */
export const keyColumn: FilterColumn = {
  id: 0,
  name: rowKey,
  dataType: 'Decimal',
  physical: 'n38_0',
  sql: `toDecimal128(${rowOrder}, 0)`,
};

export const propertiesOf = weakMemo((columns: readonly StoredColumn[]): readonly Property[] =>
  columns.map((column) => ({
    identifier: identifierOf(column.name, column.id),
    name: column.name,
    type: edmTypeOf(column),
    dataType: column.dataType,
  })),
);

const renamed = weakMemo((columns: readonly StoredColumn[]): readonly StoredColumn[] =>
  columns.map((column) => ({ ...column, name: identifierOf(column.name, column.id) })),
);

const underIdentifiers = (version: ReadableVersion): ReadableVersion => ({
  ...version,
  columns: renamed(version.columns),
});

/** The same versions, with identifiers as the names of their columns, for filters, orders and answers. */
export const createODataVersions = (versions: Versions): Versions => ({
  ...versions,
  find: async (wanted) => underIdentifiers(await versions.find(wanted)),
  remembered(datasetId, versionId, revision) {
    const version = versions.remembered(datasetId, versionId, revision);
    return version && underIdentifiers(version);
  },
});

const quoted = (name: string): string => JSON.stringify(name.slice(0, 64));

/**
 * Columns of a result of `$apply`, with identifiers as names. Those of the version have them already.
 * @throws AppError 400 for names that become the same identifier, such as `[a b]` and `a_x0020_b`
 */
export const appliedProperties = (columns: readonly StoredColumn[]): readonly StoredColumn[] => {
  const sources = new Map<string, string>();
  return columns.map((column) => {
    const identifier = isIdentifier(column.name) ? column.name : identifierOf(column.name, 0);
    const other = sources.get(identifier);
    if (other !== undefined)
      throw invalid(
        'bad_option',
        `$apply: the names ${quoted(other)} and ${quoted(column.name)} both become the property ${identifier}; give one of them another name.`,
        { option: 'apply' },
      );
    sources.set(identifier, column.name);
    return { ...column, name: identifier };
  });
};
