/** Dear requests to services of OData. */
import type { Attack } from '../attack.js';
import { inLines } from '../ground.js';

const json = { 'content-type': 'application/json' };

const batch = (urls: readonly string[]): string =>
  JSON.stringify({ requests: urls.map((url, at) => ({ id: String(at), method: 'GET', url })) });

const wideMetadata: Attack = {
  name: 'odata-metadata',
  does: '$metadata of 10,000 columns with names of 1,600 characters, a third of it never read',
  prepare: (_ground, stock) => stock.wide(),
  run: async (ground, stock, signal) => {
    const id = await stock.wide();
    const root = `/odata/datasets/${id}`;
    await inLines(8, signal, async (line) => {
      if (line % 3 === 0) ground.leaveUnread(`${root}/$metadata`);
      return ground.hit(line % 2 === 0 ? `${root}/$metadata` : `${root}/$metadata?$format=json`);
    });
  },
};

const odataBatches: Attack = {
  name: 'odata-batches',
  does: 'batches of 50 parts: pages of 2 million rows, searches, $metadata, nonsense, bodies of 900 kB',
  prepare: (_ground, stock) => stock.large(),
  run: async (ground, stock, signal) => {
    const { id } = await stock.large();
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
    await inLines(12, signal, (line) => {
      turn += 1;
      const request = bodies[turn % bodies.length] ?? { headers: json, body: '{}' };
      const headers = { ...request.headers, prefer: 'continue-on-error' };
      const key = line % 2 === 0 ? ground.place.key : undefined;
      return ground.hit(`/odata/datasets/${id}/$batch`, { method: 'POST', headers, body: request.body, key });
    });
  },
};

const longSearches: Attack = {
  name: 'searches',
  does: 'searches of hundreds of words and brackets, in downloads and OData',
  prepare: (_ground, stock) => stock.large(),
  run: async (ground, stock, signal) => {
    const { id } = await stock.large();
    const searches = [
      Array.from({ length: 300 }, (_, at) => at).join(' '),
      `${'('.repeat(480)}x${')'.repeat(480)}`,
      `${'NOT '.repeat(240)}x`,
      '"'.repeat(999),
      `"${'\\\\'.repeat(490)}`,
    ].map(encodeURIComponent);
    let turn = 0;
    await inLines(16, signal, () => {
      turn += 1;
      const search = searches[turn % searches.length];
      return ground.hit(
        turn % 2 === 0
          ? `/odata/datasets/${id}/Rows/$count?$search=${search}`
          : `/datasets/${id}/data?$top=5&$format=json&$search=${search}`,
      );
    });
  },
};

export const odata: readonly Attack[] = [wideMetadata, odataBatches, longSearches];
