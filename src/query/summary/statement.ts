import type { ReadableVersion } from '../../model/version.js';
import { serverOf, versionSource } from '../../rows/index.js';
import type { Reader, ReadQuery, ReadSettings } from '../../storage/clickhouse/reader.js';
import type { CompiledFilter } from '../filter/filter.js';
import { isMany, type ReadContext } from '../read-context.js';
import { anyRow, type SelectedRows, selectRows } from '../statement.js';

/** Rows and their location. */
export interface LocatedSource extends SelectedRows {
  /** Rows of the version, before any filter. */
  readonly rowCount: number;
  readonly place: ReadQuery['place'];
}

/** Rows of a version that match a filter, if there is one. */
export const sourceOf = (
  { database }: Pick<Reader, 'database'>,
  version: ReadableVersion,
  filter?: CompiledFilter,
): LocatedSource => ({
  ...selectRows({
    rows: versionSource(database, version),
    isWhole: true,
    columns: version.columns,
    filter,
    options: anyRow,
    chosen: version.columns,
  }),
  place: serverOf(version),
  rowCount: version.rowCount,
});

/** Runs a SELECT with a small result. Each row is an array of values. */
export type RunStatement = <T>(
  text: string,
  source: Pick<LocatedSource, 'values' | 'place' | 'rowCount'>,
  context: ReadContext,
  settings?: ReadSettings,
) => Promise<T[]>;

/** Each statement has its own query id, by which ClickHouse cancels it. */
export const createStatementRunner = (reader: Reader): RunStatement => {
  let statements = 0;
  return (text, source, context, settings = {}) => {
    statements += 1;
    return reader.queryObjects({
      sql: `${text} FORMAT JSONCompactEachRow`,
      values: source.values,
      place: source.place,
      isHeavy: isMany(source.rowCount),
      settings: {
        ...settings,
        output_format_json_quote_64bit_integers: 0,
        output_format_json_quote_denormals: 0,
      },
      ...context,
      queryId: `${context.queryId}-${statements}`,
    });
  };
};
