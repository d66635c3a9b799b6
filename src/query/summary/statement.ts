import type { Reader, ReadQuery, ReadSettings } from '../../storage/clickhouse/reader.js';
import { isMany, type ReadContext } from '../read-context.js';
import type { SelectedRows } from '../statement.js';

/** Rows, and where they are stored. */
export interface LocatedSource extends SelectedRows {
  /** Rows of the version, of which the source may leave some out. */
  readonly rowCount: number;
  readonly place: ReadQuery['place'];
}

/** Runs a SELECT whose answer is small; each row comes as the list of its values. */
export type RunStatement = <T>(
  text: string,
  source: Pick<LocatedSource, 'values' | 'place' | 'rowCount'>,
  context: ReadContext,
  settings?: ReadSettings,
) => Promise<T[]>;

/** Each statement gets an id of its own, by which ClickHouse cancels it. */
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
