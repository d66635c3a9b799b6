/** Expensive queries and calls. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '../attack.js';
import { inLoops } from '../client.js';
import { slowSeries } from '../upstreams.js';

const json = { 'content-type': 'application/json' };
const kB = 1_000;

const repeatTo = (text: string, bytes: number): string =>
  text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes);

const poisonousDataset: Attack = {
  name: 'poisonous-dataset',
  does: 'lists of 150 versions of 10,000 columns with names of 1,600 characters',
  prepare: (_client, datasets) => datasets.wide(),
  run: async (client, datasets, signal) => {
    const id = await datasets.wide();
    const paths = ['/versions?$top=40', '/versions', '/columns', ''];
    await inLoops(8, signal, (loop) => client.send(`/datasets/${id}${paths[loop % 4]}`));
  },
};

const longFilters: Attack = {
  name: 'long-filters',
  does: 'filters of 60 kB, 300 kB and 8 MiB over columns of 1,988 lengths',
  prepare: (_client, datasets) => datasets.lengths(),
  run: async (client, datasets, signal) => {
    const { id, names } = await datasets.lengths();
    const terms = names.map((name) => `${name.slice(0, 40)}y eq 1 or `).join('');
    const filters = [60 * kB, 300 * kB, 900 * kB, 8 * 1024 * 1024].flatMap((bytes) => [
      repeatTo('x', bytes),
      `${repeatTo(terms, bytes)}xx eq 1`,
      `${repeatTo('(', bytes / 2)}xx eq 1${repeatTo(')', bytes / 2)}`,
      `xx in (${repeatTo('1,', bytes)}1)`,
    ]);
    let turn = 0;
    await inLoops(4, signal, () => {
      turn += 1;
      const filter = filters[turn % filters.length] ?? '';
      if (filter.length <= 60 * kB && turn % 3 === 0)
        return client.send(`/datasets/${id}/data?$filter=${encodeURIComponent(filter.slice(0, 12 * kB))}`);
      const body = JSON.stringify({ $filter: filter });
      return client.send(`/datasets/${id}/query`, { method: 'POST', headers: json, body });
    });
  },
};

const nearNames: Attack = {
  name: 'near-names',
  does: '$select of unknown names that are nearly those of columns',
  prepare: (_client, datasets) => datasets.lengths(),
  run: async (client, datasets, signal) => {
    const { id, names } = await datasets.lengths();
    const near = names.slice(-200).map((name) => `y${name.slice(1)}`);
    const selects = [
      'y'.repeat(64),
      near.slice(0, 60).join(','),
      near.join(',').slice(0, 900 * kB),
      repeatTo('a,', 900 * kB),
      repeatTo('y', 900 * kB),
    ];
    await inLoops(4, signal, (loop) => {
      const body = JSON.stringify({ $select: selects[(loop + Math.floor(Math.random() * 5)) % 5] });
      return client.send(`/datasets/${id}/query`, { method: 'POST', headers: json, body });
    });
  },
};

const diffs: Attack = {
  name: 'diffs',
  does: '60 anonymous diffs of 2 million rows, disconnected after a while',
  prepare: (_client, datasets) => datasets.large(),
  run: async (client, datasets, signal) => {
    const { id, versions } = await datasets.large();
    const path = `/datasets/${id}/versions/${versions[0]}/diff/${versions[1]}`;
    await inLoops(60, signal, async (loop) => {
      const socket = client.leaveUnread(loop % 2 === 0 ? path : `${path}/rows`);
      await sleep(client.pick(3_000, 500));
      socket.destroy();
    });
  },
};

const pipelines: Attack = {
  name: 'pipelines',
  does: '40 anonymous summaries, counts and groupings of 2 million rows',
  prepare: (_client, datasets) => datasets.large(),
  run: async (client, datasets, signal) => {
    const { id } = await datasets.large();
    const apply = encodeURIComponent('groupby((key,note),aggregate(value with sum as total))');
    const paths = [
      `/summary`,
      `/data?$apply=${apply}&$top=5`,
      `/data?$count=true&$filter=${encodeURIComponent("contains(note,'9')")}`,
      `/data?$orderby=note desc&$top=10`,
      `/data?transpose=true&$skip=0`,
    ];
    let turn = 0;
    await inLoops(40, signal, () => {
      turn += 1;
      return client.send(`/datasets/${id}${paths[turn % paths.length]}`);
    });
  },
};

/** Maximum number of aggregates in a pipeline with very many groups. */
const manyAggregates = (): string => {
  const ways = ['sum', 'min', 'max', 'average', 'countdistinct'];
  const items = Array.from({ length: 100 }, (_, at) => `value with ${ways[at % ways.length]} as n${at}`);
  return encodeURIComponent(`groupby((key),aggregate(${items.join()}))`);
};

const aggregates: Attack = {
  name: 'aggregates',
  does: '16 pipelines of one account, each with 100 aggregates and every row a group',
  prepare: (_client, datasets) => datasets.large(),
  run: async (client, datasets, signal) => {
    const { id } = await datasets.large();
    const path = `/datasets/${id}/data?$apply=${manyAggregates()}&$top=5`;
    await inLoops(16, signal, () => client.send(path, { key: client.target.key }));
  },
};

const providerCalls: Attack = {
  name: 'provider-calls',
  does: '200 calls of one account to a slow provider, half of them disconnected',
  run: (client, _datasets, signal) => {
    let number = 0;
    return inLoops(client.pick(200, 80), signal, async (loop) => {
      number += 1;
      const path = slowSeries(number);
      const { key } = client.target;
      if (loop % 2 === 0) return client.send(path, { key });
      const socket = client.leaveUnread(path, { key });
      await sleep(200);
      return socket.destroy();
    });
  },
};

const assistants: Attack = {
  name: 'assistants',
  does: 'messages to /mcp: descriptions and rows of 10,000 columns, filters of 60 kB, batches of 1,000 messages, foreign Host headers',
  prepare: (_client, datasets) => datasets.wide(),
  run: async (client, datasets, signal) => {
    const datasetId = await datasets.wide();
    const { key } = client.target;
    const call = (name: string, args: object): object => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: { datasetId, ...args } },
    });
    const query = call('query_dataset', { filter: repeatTo('(', 60 * kB) });
    const messages = [
      call('describe_dataset', {}),
      call('query_dataset', { top: 500 }),
      call('compare_versions', { top: 500 }),
      call('search_datasets', { text: repeatTo('a ', 200), limit: 100 }),
      query,
      Array.from({ length: 1_000 }, () => query),
    ].map((message) => JSON.stringify(message));
    await inLoops(8, signal, (loop) =>
      // Paths are relative to /api.
      client.send('/../mcp', {
        method: 'POST',
        key,
        headers: {
          ...json,
          accept: 'application/json, text/event-stream',
          ...(loop === 7 ? { host: 'evil.example.com' } : {}),
        },
        body: messages[loop % messages.length] ?? '',
      }),
    );
  },
};

const wrongKeys: Attack = {
  name: 'wrong-keys',
  does: '200 concurrent requests with invalid keys',
  run: (client, _datasets, signal) =>
    inLoops(client.pick(200, 60), signal, () => client.send('/datasets', { key: 'dk_wrong' })),
};

const clickhousePort: Attack = {
  name: 'clickhouse-port',
  does: 'statements to the ClickHouse port without a password',
  run: (client, _datasets, signal) =>
    inLoops(8, signal, async () => {
      const answer = await fetch(`${client.target.clickhouseUrl}/?query=SELECT%201`, { signal });
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
