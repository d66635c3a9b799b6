import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, call, createDataset, download, json, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({ sweepIntervalMs: '300' });
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

interface Version {
  readonly versionId: string;
  readonly mode: string;
  readonly rows: number;
  readonly current: boolean;
  readonly label: string | null;
  readonly pinned: boolean;
  readonly columns: { added: string[]; removed: string[]; retyped: object[] };
}

const list = async (dataset: number, query = ''): Promise<Version[]> =>
  json<Version[]>(await call(owner, 'GET', `/datasets/${dataset}/versions${query}`));

describe('versions', () => {
  it('are listed newest first with what they changed', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'a,b\n1,x\n');
    await uploadWith(owner, dataset, 'a,c\n2,y\n', { mode: 'append' });
    await upload(owner, dataset, 'a,c\nword,z\n');
    const versions = await list(dataset);
    expect(versions.map(({ mode, rows, current }) => [mode, rows, current])).toEqual([
      ['replace', 1, true],
      ['append', 2, false],
      ['replace', 1, false],
    ]);
    expect(versions.map(({ columns }) => columns)).toEqual([
      { added: [], removed: ['b'], retyped: [{ name: 'a', from: 'Decimal', to: 'String' }] },
      { added: ['c'], removed: [], retyped: [] },
      { added: ['a', 'b'], removed: [], retyped: [] },
    ]);
    expect(await list(dataset, '?$top=1')).toHaveLength(1);
  });

  it('have a label and a pin that can be changed', async () => {
    const dataset = await createDataset(owner);
    const { versionId } = await upload(owner, dataset, 'a\n1\n');
    const path = `/datasets/${dataset}/versions/${versionId}`;
    await json(await call(owner, 'PUT', path, { label: 'First', pinned: true }));
    const answer = await call(owner, 'GET', path);
    expect(answer.headers.get('etag')).toBe(`"${versionId}"`);
    expect(await json(answer)).toMatchObject({ label: 'First', pinned: true });
    expect((await call(owner, 'PUT', `/datasets/${dataset}/versions/999999`, {})).status).toBe(404);
  });

  it('stay the same through ten uploads of all modes, restores and deletions', async () => {
    const dataset = await createDataset(owner);
    const texts = new Map<string, string>();
    const recordNewest = async (): Promise<void> => {
      const [newest] = await list(dataset, '?$top=1');
      texts.set(newest?.versionId ?? '', await download(owner, dataset));
    };
    const turns: [content: string, mode: string][] = [
      ['k,v\na,1\nb,2\n', 'replace'],
      ['k,v\nc,3\n', 'append'],
      ['k,v\nb,20\nd,4\n', 'upsert'],
      ['k,v,w\ne,5,9\n', 'append'],
      ['k,v\na,12345678901234567890.25\n', 'upsert'],
      ['k,v\nf,6\n', 'append'],
      ['v,k\n7,g\n', 'replace'],
      ['k,v\ng,70\nh,8\n', 'upsert'],
    ];
    for (const [content, mode] of turns) {
      expect(await uploadWith(owner, dataset, content, { mode })).toMatchObject({ status: 'completed' });
      await recordNewest();
    }
    const ids = [...texts.keys()];
    const restored = await call(owner, 'POST', `/datasets/${dataset}/versions/${ids[4]}/restore`);
    expect(await json<Version>(restored, 201)).toMatchObject({ mode: 'restore', current: true });
    expect(await download(owner, dataset)).toBe(texts.get(ids[4] ?? ''));
    await recordNewest();
    await uploadWith(owner, dataset, 'k,v\nz,0\n', { mode: 'append' });
    await recordNewest();
    expect(texts.size).toBe(10);

    for (const gone of [ids[0], ids[3]]) {
      expect((await call(owner, 'DELETE', `/datasets/${dataset}/versions/${gone}`)).status).toBe(204);
      texts.delete(gone ?? '');
    }
    // Several sweeps drop unreferenced segments.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    for (const [id, text] of texts) expect(await download(owner, dataset, `?versionId=${id}`)).toBe(text);
    const [current] = await list(dataset, '?$top=1');
    const refused = await call(owner, 'DELETE', `/datasets/${dataset}/versions/${current?.versionId}`);
    expect(refused.status).toBe(409);
  });

  it('are compared by key', async () => {
    const dataset = await createDataset(owner);
    const first = await upload(owner, dataset, 'k,v\na,1\nb,2\n,3\nd,4\n');
    const second = await upload(owner, dataset, 'v,k\n1,a\n20,b\n3,\n5,e\n6,f\n');
    const path = `/datasets/${dataset}/versions/${first.versionId}/diff/${second.versionId}`;
    expect(await json(await call(owner, 'GET', path))).toEqual({
      from: first.versionId,
      to: second.versionId,
      keys: ['k'],
      added: 2,
      removed: 1,
      changed: 1,
    });
  });

  const changedRows = async (dataset: number, from: string | null, to: string | null): Promise<string[]> => {
    const response = await call(owner, 'GET', `/datasets/${dataset}/versions/${from}/diff/${to}/rows`);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    return (await response.text()).split('\r\n').slice(0, -1);
  };

  it('show the rows in which they differ as CSV', async () => {
    const dataset = await createDataset(owner);
    const first = await upload(owner, dataset, 'k,v\na,1\nb,2\n,3\nd,4\n');
    const second = await upload(owner, dataset, 'v,k\n1,a\n20,b\n3,\n5,e\n6,f\n');
    expect(await changedRows(dataset, first.versionId, second.versionId)).toEqual([
      '"change","v","k"',
      '"removed",4,"d"',
      '"before",2,"b"',
      '"after",20,"b"',
      '"added",5,"e"',
      '"added",6,"f"',
    ]);
    expect(await changedRows(dataset, first.versionId, first.versionId)).toEqual(['"change","k","v"']);
  });

  it('differ by as many rows as are counted, also with other columns and repeated keys', async () => {
    const dataset = await createDataset(owner);
    const texts = [
      'k,v\na,1\na,1\na,2\nb,3\n',
      'k,v,w\na,1,x\na,1,\na,5,\nc,3,\n',
      'k,v\na,word\na,1\nb,3\nb,3\n',
      'k,v\n',
      'k,v\na,12345678901234567890.5\nb,3\n',
    ];
    const ids: (string | null)[] = [];
    for (const text of texts) ids.push((await upload(owner, dataset, text)).versionId);
    for (const from of ids) {
      for (const to of ids) {
        const path = `/datasets/${dataset}/versions/${from}/diff/${to}`;
        const counts = await json<Record<string, number>>(await call(owner, 'GET', path));
        const rows = (await changedRows(dataset, from, to)).slice(1).map((line) => line.split('"')[1]);
        const count = (what: string) => rows.filter((change) => change === what).length;
        expect(
          {
            added: count('added'),
            removed: count('removed'),
            before: count('before'),
            after: count('after'),
          },
          `${from} to ${to}`,
        ).toEqual({
          added: counts.added,
          removed: counts.removed,
          before: counts.changed,
          after: counts.changed,
        });
      }
    }
    expect((await call(owner, 'GET', `/datasets/${dataset}/versions/1/diff/999999/rows`)).status).toBe(404);
  });
});
