/**
 * `$apply` pipelines on a real ClickHouse, compared with the reference evaluator. APPLY_PIPELINES sets the number of
 * generated pipelines, APPLY_SEED the seed.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { AppError } from '../../../src/lib/errors.js';
import { storageName } from '../../../src/model/column.js';
import type { ReadableVersion } from '../../../src/model/version.js';
import { applyPipeline, calculatedColumns } from '../../../src/query/apply/apply.js';
import { createNumberRanges, type NumberFactsReader } from '../../../src/query/apply/number-ranges.js';
import { serverOf } from '../../../src/rows/index.js';
import { copySource } from '../../../src/rows/read-copy-source.js';
import { versionSource } from '../../../src/rows/source.js';
import { createRandom } from '../../harness/random.js';
import {
  type Cell,
  type ColumnSpec,
  createStoredTables,
  type StoredTables,
} from '../../integration/query/stored-table.js';
import { createApplyEvaluator, type Near } from '../../support/apply-evaluator.js';
import { createNames, generateStep, generateTable } from '../../support/apply-generator.js';
import type { ApplyTable, TestStep } from '../../support/apply-tree.js';
import { writeStep } from '../../support/apply-writer.js';
import { dec, order } from '../../support/odata-decimal.js';

const pipelines = Number(process.env.APPLY_PIPELINES ?? 300);
const seed = Number(process.env.APPLY_SEED ?? 20_261_121);
const perTable = 25;

let tables: StoredTables;
let facts: NumberFactsReader;
let queries = 0;

beforeAll(async () => {
  tables = await createStoredTables(inject('clickhouseUrl'));
  facts = createNumberRanges(tables.reader);
});

afterAll(() => tables.close());

const context = () => {
  queries += 1;
  return { queryId: `apply-${process.pid}-${queries}`, signal: new AbortController().signal };
};

const asText = {
  output_format_json_quote_decimals: 1,
  output_format_json_quote_64bit_floats: 1,
  output_format_decimal_trailing_zeros: 0,
};

/** Runs a pipeline; all values are strings. */
const run = async (text: string, version: ReadableVersion): Promise<(string | null)[][]> => {
  const found = await facts.find(version, calculatedColumns({ text, version }), context());
  const { database } = tables.reader;
  const rows = copySource(database, version, true) ?? versionSource(database, version);
  const { columns, rows: applied } = applyPipeline({ text, version, rows, ranges: found });
  return tables.reader.queryObjects<(string | null)[]>({
    sql: `SELECT ${columns.map(storageName).join()} FROM ${applied.from} WHERE ${applied.where}
      ORDER BY _row FORMAT JSONCompactEachRow`,
    values: applied.values,
    place: serverOf(version),
    settings: asText,
    ...context(),
  });
};

const isNear = (found: string | null, { text, tolerance }: Near, isNumber: boolean): boolean => {
  if (found === null || text === null) return found === text;
  if (!isNumber) return found === text;
  if (tolerance === 0) return order(dec(found), dec(text)) === 0;
  return Math.abs(Number(found) - Number(text)) <= tolerance + Math.abs(Number(text)) * 1e-9;
};

/** Stores a table in up to `cuts` segments. */
const store = (table: ApplyTable, cuts: number): Promise<ReadableVersion> => {
  const specs = table.columns.map(({ name, physical }): ColumnSpec => ({ name, physical }));
  const rows = table.rows as Cell[][];
  const size = Math.max(1, Math.ceil(rows.length / cuts));
  const segments = Array.from({ length: cuts }, (_, at) => rows.slice(at * size, (at + 1) * size));
  return tables.add(specs, ...segments.filter((segment) => segment.length > 0));
};

describe('generated pipelines', () => {
  it(`match the reference evaluator, ${pipelines} of them`, { timeout: 7_200_000 }, async () => {
    const random = createRandom(seed);
    let decided = 0;
    for (let done = 0; done < pipelines; ) {
      const table = generateTable(random);
      const stored = await store(table, 1 + random.below(3));
      // Every second table is read from a copy.
      const version = done % (2 * perTable) === 0 ? stored : await tables.copied(stored);
      const evaluator = createApplyEvaluator(table);
      for (let at = 0; at < perTable && done < pipelines; at += 1, done += 1) {
        const names = createNames(random);
        const steps: TestStep[] = [];
        const texts: string[] = [];
        // Types do not depend on rows, so the columns after a step are those of the evaluation so far.
        for (let left = 1 + random.below(4); left > 0; left -= 1) {
          const before = evaluator.run(steps);
          if (before === undefined) break;
          const step = generateStep(before.columns, random, names);
          texts.push(
            writeStep(
              step,
              before.columns,
              Array.from({ length: 17 }, () => random.below(100)),
            ),
          );
          steps.push(step);
        }
        const wanted = evaluator.run(steps);
        const text = texts.join('/');
        const found = await run(text, version).catch((error: unknown) => {
          throw new Error(
            `${text}\n${error instanceof AppError ? `${error.code} ${error.message} ${String((error.cause as Error)?.message).slice(0, 1_500)}` : String(error)}`,
          );
        });
        if (wanted === undefined) continue;
        decided += 1;
        const wrong = wanted.rows.flatMap((row, index) =>
          row.flatMap((cell, place) => {
            const value = found[index]?.[place] ?? null;
            const { dataType, name } = wanted.columns[place]!;
            return isNear(value, cell, dataType === 'Decimal') ? [] : [{ index, name, value, cell }];
          }),
        );
        expect(
          { rows: found.length, wrong: wrong.slice(0, 3) },
          `${text}\nof ${JSON.stringify(table.rows)}`,
        ).toEqual({
          rows: wanted.rows.length,
          wrong: [],
        });
      }
    }
    // Most pipelines must be decided, otherwise the comparison proves little.
    expect(decided / pipelines).toBeGreaterThan(0.7);
  });
});
