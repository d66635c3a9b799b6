/** Checks everything readable of a dataset against the expected tables of its versions. */
import { parse } from 'csv-parse/sync';
import { type Client, call, download, json, readDataset } from '../datasets.js';
import { compared, revisionsOf, shown } from './comparison.js';
import { currentOf, type History, readWhole } from './history.js';
import { aggregateOf, countOf, datesOf, type Question, someRows } from './questions.js';
import { csvOf, type Row, type Table } from './table.js';

const expectEqual = (what: string, actual: unknown, expected: unknown): void => {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (got !== wanted) throw new Error(`${what} is\n${got}\ninstead of\n${wanted}`);
};

const query = (options: Readonly<Record<string, string>>): string =>
  Object.entries(options)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

const ask = async (client: Client, path: string, { options, body, rowCount }: Question): Promise<void> => {
  const answer = await call(client, 'GET', `${path}&${query(options)}`);
  const what = `${path}&${new URLSearchParams(options)}`;
  expectEqual(what, `${answer.status} ${await answer.text()}`, `200 ${body}`);
  expectEqual(`Row-Count of ${what}`, answer.headers.get('row-count'), rowCount);
};

/** Reads all pages of this size and compares the concatenated rows. */
const checkPages = async (client: Client, path: string, size: number, table: Table): Promise<void> => {
  const lines: string[] = [];
  let header = '';
  for (let at: string | undefined = `${path}&$skip=0&$pagesize=${size}`; at !== undefined; ) {
    const answer: Response = await call(client, 'GET', at);
    const text = await answer.text();
    header = text.slice(0, text.indexOf('\r\n') + 2);
    lines.push(text.slice(header.length));
    const next: string | undefined = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
    at = next?.slice(next.indexOf('/datasets/'));
  }
  expectEqual(`pages of ${size} of ${path}`, `${header}${lines.join('')}`, csvOf(table));
};

const rowsOf = async (answer: Response): Promise<Row[]> => {
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.url} answered ${answer.status}: ${text}`);
  const records: Record<string, string>[] = parse(text, { columns: true });
  return records.map((record) =>
    Object.fromEntries(Object.entries(record).filter(([, cell]) => cell !== '')),
  );
};

const checkComparison = async (client: Client, history: History): Promise<void> => {
  const { random, dataset, versions } = history;
  const [[from, before], [to, after]] = [random.pick([...versions]), random.pick([...versions])];
  const path = `/datasets/${dataset}/versions/${from}/diff/${to}`;
  const expected = compared(before, after);
  const counts = await json<Record<string, unknown>>(await call(client, 'GET', path));
  const { added, removed, changed } = counts;
  expectEqual(path, { added, removed, changed }, expected.counts);
  if (expected.counts.changed > 0) expectEqual(`keys of ${path}`, counts.keys, expected.keys);
  const rows = await rowsOf(await call(client, 'GET', `${path}/rows`));
  const reported = rows.map(({ change = '', ...row }) => shown(change, row)).sort();
  expectEqual(`${path}/rows`, reported, expected.rows);
};

const checkRevisions = async (client: Client, { dataset, versions }: History): Promise<void> => {
  const path = `/datasets/${dataset}/revisions?$format=csv`;
  const rows = await rowsOf(await call(client, 'GET', path));
  const reported = rows.map(({ change = '', publishedAt: _, ...row }) => shown(change, row)).sort();
  expectEqual(path, reported, revisionsOf([...versions]));
};

/** Checks the metadata of the versions and the dataset. */
const checkMetadata = async (client: Client, history: History): Promise<void> => {
  const { dataset, versions } = history;
  const listed = await json<{ versionId: string; rows: number }[]>(
    await call(client, 'GET', `/datasets/${dataset}/versions?$top=1000`),
  );
  expectEqual(
    `versions of dataset ${dataset}`,
    listed.map(({ versionId, rows }) => [versionId, rows]).reverse(),
    [...versions].map(([id, { rows }]) => [id, rows.length]),
  );
  const [id, table] = currentOf(history) ?? ['', { columns: [], rows: [] }];
  const { rowCount, minDate, maxDate, currentVersionId, columns } = await readDataset(client, dataset);
  expectEqual(
    `dataset ${dataset}`,
    { currentVersionId, rowCount, minDate, maxDate, columns: columns.map(({ name }) => name) },
    {
      currentVersionId: id,
      rowCount: table.rows.length,
      ...datesOf(table),
      columns: table.columns.map(({ name }) => name),
    },
  );
};

/** Reads all rows of a version and asks one random query. */
const checkVersion = async (client: Client, history: History, id: string, table: Table): Promise<void> => {
  const { random, dataset } = history;
  const path = `/datasets/${dataset}/data?versionId=${id}`;
  await readWhole(client, history, id);
  const question = random.weighted({ rows: 6, count: 2, aggregate: 2, pages: 1 });
  if (question === 'rows') await ask(client, path, someRows(random, table));
  else if (question === 'count') await ask(client, path, countOf(random, table));
  else if (question === 'aggregate') await ask(client, path, aggregateOf(table));
  else await checkPages(client, path, random.between(1, Math.max(3, table.rows.length >> 1)), table);
};

/** @throws Error at the first difference from the expected versions. */
export const checkHistory = async (client: Client, history: History): Promise<void> => {
  const { random, dataset, versions } = history;
  for (const [id, table] of versions) await checkVersion(client, history, id, table);
  await checkMetadata(client, history);
  for (let pair = 0; pair < 3; pair += 1) await checkComparison(client, history);
  await checkRevisions(client, history);
  const [, table] = currentOf(history) ?? [];
  // The exported file of a whole version, which is created once and cached.
  if (table !== undefined && random.chance(0.2))
    expectEqual(
      `exported file of dataset ${dataset}`,
      await download(client, dataset),
      csvOf(table).replaceAll('\r\n', '\n'),
    );
};
