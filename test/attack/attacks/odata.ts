/** Expensive OData requests. */
import type { Attack } from '../attack.js';
import { inLoops } from '../client.js';

const json = { 'content-type': 'application/json' };

const batch = (urls: readonly string[]): string =>
  JSON.stringify({ requests: urls.map((url, at) => ({ id: String(at), method: 'GET', url })) });

const wideMetadata: Attack = {
  name: 'odata-metadata',
  does: '$metadata of 10,000 columns with names of 1,600 characters, a third of it never read',
  prepare: (_client, datasets) => datasets.wide(),
  run: async (client, datasets, signal) => {
    const id = await datasets.wide();
    const root = `/odata/datasets/${id}`;
    await inLoops(8, signal, async (loop) => {
      if (loop % 3 === 0) client.leaveUnread(`${root}/$metadata`);
      return client.send(loop % 2 === 0 ? `${root}/$metadata` : `${root}/$metadata?$format=json`);
    });
  },
};

const odataBatches: Attack = {
  name: 'odata-batches',
  does: 'batches of 50 parts: pages of 2 million rows, searches, $metadata, nonsense, bodies of 900 kB',
  prepare: (_client, datasets) => datasets.large(),
  run: async (client, datasets, signal) => {
    const { id } = await datasets.large();
    const fifty = (url: string): string[] => Array.from({ length: 50 }, () => url);
    const terms = Array.from({ length: 200 }, (_, at) => `"${at}"`).join(' OR ');
    const boundary = 'b'.repeat(70);
    const bodies = [
      { headers: json, body: batch(fifty('Rows?$top=25000')) },
      { headers: json, body: batch(fifty(`Rows?$search=${encodeURIComponent(terms)}&$top=10`)) },
      { headers: json, body: batch(fifty('$metadata')) },
      { headers: json, body: batch(fifty('$batch')) },
      { headers: json, body: `{"requests":[${'{},'.repeat(200_000)}{}]}` },
      {
        headers: { 'content-type': `multipart/mixed; boundary=${boundary}` },
        body: `--${boundary}\r\n\r\n`.repeat(12_000),
      },
      {
        headers: { 'content-type': `multipart/mixed; boundary=${boundary}` },
        body: '\r\n'.repeat(450_000),
      },
    ];
    let turn = 0;
    await inLoops(12, signal, (loop) => {
      turn += 1;
      const request = bodies[turn % bodies.length] ?? { headers: json, body: '{}' };
      const headers = { ...request.headers, prefer: 'continue-on-error' };
      const key = loop % 2 === 0 ? client.target.key : undefined;
      return client.send(`/odata/datasets/${id}/$batch`, {
        method: 'POST',
        headers,
        body: request.body,
        key,
      });
    });
  },
};

const longSearches: Attack = {
  name: 'searches',
  does: 'searches of hundreds of words and parentheses, in downloads and OData',
  prepare: (_client, datasets) => datasets.large(),
  run: async (client, datasets, signal) => {
    const { id } = await datasets.large();
    const searches = [
      Array.from({ length: 300 }, (_, at) => at).join(' '),
      `${'('.repeat(480)}x${')'.repeat(480)}`,
      `${'NOT '.repeat(240)}x`,
      '"'.repeat(999),
      `"${'\\\\'.repeat(490)}`,
    ].map(encodeURIComponent);
    let turn = 0;
    await inLoops(16, signal, () => {
      turn += 1;
      const search = searches[turn % searches.length];
      return client.send(
        turn % 2 === 0
          ? `/odata/datasets/${id}/Rows/$count?$search=${search}`
          : `/datasets/${id}/data?$top=5&$format=json&$search=${search}`,
      );
    });
  },
};

export const odata: readonly Attack[] = [wideMetadata, odataBatches, longSearches];
