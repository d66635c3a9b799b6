import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Column } from '../../../web/src/lib/types.js';

interface RowsModule {
  readRows(rows: object, piece: object): Promise<(string | null)[][]>;
}

// Not a static import: its types are those of browsers, which differ from those of Node.
const path = new URL('../../../web/src/components/grid/read-rows.ts', import.meta.url).pathname;
const { readRows } = (await import(path)) as RowsModule;

const selected: Column[] = [{ id: 5, name: 'City', dataType: 'String', isEntity: true }];
const piece = { first: 100, count: 2, selected };

/** @returns requested paths */
const serve = (newest: string): string[] => {
  const seen: string[] = [];
  vi.stubGlobal('fetch', async (url: string) => {
    seen.push(url.split('?')[0] ?? '');
    return url.includes('/versions')
      ? new Response(JSON.stringify([{ versionId: newest }]))
      : new Response('City [5]\nOslo\nBergen\n');
  });
  return seen;
};

const rowsOf = (currentVersionId: string | undefined) => ({
  datasetId: 7,
  filter: '',
  order: '',
  version: currentVersionId === undefined ? { versionId: '3' } : {},
  currentVersionId,
  onNewVersion: vi.fn(),
});

afterEach(() => vi.unstubAllGlobals());

describe('rows of the grid', () => {
  it('are those of the version that the page shows, which is checked after they were read', async () => {
    const seen = serve('3');
    expect(await readRows(rowsOf('3'), piece)).toEqual([['Oslo'], ['Bergen']]);
    expect(seen).toEqual(['/api/datasets/7/data', '/api/datasets/7/versions']);
  });

  it('are not shown or copied if the version has been replaced; the page is loaded again', async () => {
    serve('4');
    const rows = rowsOf('3');
    await expect(readRows(rows, piece)).rejects.toThrow('new version');
    expect(rows.onNewVersion).toHaveBeenCalledOnce();
  });

  it('need no check if the address chooses a version', async () => {
    const seen = serve('4');
    expect(await readRows(rowsOf(undefined), piece)).toHaveLength(2);
    expect(seen).toEqual(['/api/datasets/7/data']);
  });
});
