/** Questions that are dear to answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '../attack.js';
import { inLines } from '../ground.js';
import { slowSeries } from '../upstreams.js';

const json = { 'content-type': 'application/json' };
const kB = 1_000;

const repeatTo = (text: string, bytes: number): string =>
  text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes);

const poisonousDataset: Attack = {
  name: 'poisonous-dataset',
  does: 'lists of 150 versions of 10,000 columns with names of 1,600 characters',
  prepare: (_ground, stock) => stock.wide(),
  run: async (ground, stock, signal) => {
    const id = await stock.wide();
    const paths = ['/versions?$top=40', '/versions', '/columns', ''];
    await inLines(8, signal, (line) => ground.hit(`/datasets/${id}${paths[line % 4]}`));
  },
};

const longFilters: Attack = {
  name: 'long-filters',
  does: 'filters of 60 kB, 300 kB and 8 MiB over columns of 1,988 lengths',
  prepare: (_ground, stock) => stock.lengths(),
  run: async (ground, stock, signal) => {
    const { id, names } = await stock.lengths();
    const terms = names.map((name) => `${name.slice(0, 40)}y eq 1 or `).join('');
    const filters = [60 * kB, 300 * kB, 900 * kB, 8 * 1024 * 1024].flatMap((bytes) => [
      repeatTo('x', bytes),
      `${repeatTo(terms, bytes)}xx eq 1`,
      `${repeatTo('(', bytes / 2)}xx eq 1${repeatTo(')', bytes / 2)}`,
      `xx in (${repeatTo('1,', bytes)}1)`,
    ]);
    let turn = 0;
    await inLines(4, signal, () => {
      turn += 1;
      const filter = filters[turn % filters.length] ?? '';
      if (filter.length <= 60 * kB && turn % 3 === 0)
        return ground.hit(`/datasets/${id}/data?$filter=${encodeURIComponent(filter.slice(0, 12 * kB))}`);
      const body = JSON.stringify({ $filter: filter });
      return ground.hit(`/datasets/${id}/query`, { method: 'POST', headers: json, body });
    });
  },
};

const nearNames: Attack = {
  name: 'near-names',
  does: '$select of unknown names that are nearly those of columns',
  prepare: (_ground, stock) => stock.lengths(),
  run: async (ground, stock, signal) => {
    const { id, names } = await stock.lengths();
    const near = names.slice(-200).map((name) => `y${name.slice(1)}`);
    const selects = [
      'y'.repeat(64),
      near.slice(0, 60).join(','),
      near.join(',').slice(0, 900 * kB),
      repeatTo('a,', 900 * kB),
      repeatTo('y', 900 * kB),
    ];
    await inLines(4, signal, (line) => {
      const body = JSON.stringify({ $select: selects[(line + Math.floor(Math.random() * 5)) % 5] });
      return ground.hit(`/datasets/${id}/query`, { method: 'POST', headers: json, body });
    });
  },
};

const diffs: Attack = {
  name: 'diffs',
  does: '60 anonymous comparisons of 2 million rows, hung up on after a while',
  prepare: (_ground, stock) => stock.large(),
  run: async (ground, stock, signal) => {
    const { id, versions } = await stock.large();
    const path = `/datasets/${id}/versions/${versions[0]}/diff/${versions[1]}`;
    await inLines(60, signal, async (line) => {
      const socket = ground.leaveUnread(line % 2 === 0 ? path : `${path}/rows`);
      await sleep(ground.pick(3_000, 500));
      socket.destroy();
    });
  },
};

const pipelines: Attack = {
  name: 'pipelines',
  does: '40 anonymous summaries, counts and groupings of 2 million rows',
  prepare: (_ground, stock) => stock.large(),
  run: async (ground, stock, signal) => {
    const { id } = await stock.large();
    const apply = encodeURIComponent('groupby((key,note),aggregate(value with sum as total))');
    const paths = [
      `/summary`,
      `/data?$apply=${apply}&$top=5`,
      `/data?$count=true&$filter=${encodeURIComponent("contains(note,'9')")}`,
      `/data?$orderby=note desc&$top=10`,
      `/data?transpose=true&$skip=0`,
    ];
    let turn = 0;
    await inLines(40, signal, () => {
      turn += 1;
      return ground.hit(`/datasets/${id}${paths[turn % paths.length]}`);
    });
  },
};

/** As many numbers for each of very many groups as a pipeline takes. */
const manyAggregates = (): string => {
  const ways = ['sum', 'min', 'max', 'average', 'countdistinct'];
  const items = Array.from({ length: 100 }, (_, at) => `value with ${ways[at % ways.length]} as n${at}`);
  return encodeURIComponent(`groupby((key),aggregate(${items.join()}))`);
};

const aggregates: Attack = {
  name: 'aggregates',
  does: '16 pipelines of one account, each with 100 aggregates over every row as a group',
  prepare: (_ground, stock) => stock.large(),
  run: async (ground, stock, signal) => {
    const { id } = await stock.large();
    const path = `/datasets/${id}/data?$apply=${manyAggregates()}&$top=5`;
    await inLines(16, signal, () => ground.hit(path, { key: ground.place.key }));
  },
};

const providerCalls: Attack = {
  name: 'provider-calls',
  does: '200 calls of one account to a provider that keeps its callers waiting, half of them hung up on',
  run: (ground, _stock, signal) => {
    let number = 0;
    return inLines(ground.pick(200, 80), signal, async (line) => {
      number += 1;
      const path = slowSeries(number);
      const { key } = ground.place;
      if (line % 2 === 0) return ground.hit(path, { key });
      const socket = ground.leaveUnread(path, { key });
      await sleep(200);
      return socket.destroy();
    });
  },
};

const assistants: Attack = {
  name: 'assistants',
  does: 'messages to /mcp: descriptions and rows of 10,000 columns, filters of 60 kB, lists of 1,000 messages, other hosts',
  prepare: (_ground, stock) => stock.wide(),
  run: async (ground, stock, signal) => {
    const datasetId = await stock.wide();
    const { key } = ground.place;
    const called = (name: string, args: object): object => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: { datasetId, ...args } },
    });
    const query = called('query_dataset', { filter: repeatTo('(', 60 * kB) });
    const messages = [
      called('describe_dataset', {}),
      called('query_dataset', { top: 500 }),
      called('compare_versions', { top: 500 }),
      called('search_datasets', { text: repeatTo('a ', 200), limit: 100 }),
      query,
      Array.from({ length: 1_000 }, () => query),
    ].map((message) => JSON.stringify(message));
    await inLines(8, signal, (line) =>
      // Paths are below /api.
      ground.hit('/../mcp', {
        method: 'POST',
        key,
        headers: {
          ...json,
          accept: 'application/json, text/event-stream',
          ...(line === 7 ? { host: 'evil.example.com' } : {}),
        },
        body: messages[line % messages.length] ?? '',
      }),
    );
  },
};

const wrongKeys: Attack = {
  name: 'wrong-keys',
  does: '200 wrong keys at a time',
  run: (ground, _stock, signal) =>
    inLines(ground.pick(200, 60), signal, () => ground.hit('/datasets', { key: 'dk_wrong' })),
};

const clickhousePort: Attack = {
  name: 'clickhouse-port',
  does: 'statements to the port of ClickHouse without a password',
  run: (ground, _stock, signal) =>
    inLines(8, signal, async () => {
      const answer = await fetch(`${ground.place.clickhouseUrl}/?query=SELECT%201`, { signal });
      const text = await answer.text();
      if (answer.ok) throw new Error(`ClickHouse answers without a password: ${text.trim()}`);
    }),
};

export const questions: readonly Attack[] = [
  poisonousDataset,
  longFilters,
  nearNames,
  diffs,
  pipelines,
  aggregates,
  providerCalls,
  assistants,
  wrongKeys,
  clickhousePort,
];
