import { afterEach, describe, expect, it, vi } from 'vitest';

interface JobModule {
  readonly jobs: {
    get(): readonly {
      readonly file: string;
      readonly processId: number | undefined;
      readonly error?: unknown;
      readonly isOver: boolean;
    }[];
    set(jobs: readonly never[]): void;
  };
  start(wanted: readonly object[]): Promise<void>;
  forgetEnded(): void;
}

// Not a static import: its types are those of browsers, which differ from those of Node.
const path = new URL('../../../web/src/pages/upload/job.ts', import.meta.url).pathname;
const { jobs, start, forgetEnded } = (await import(path)) as JobModule;

interface Service {
  /** Status of each process, by its id from 1 on, each time it is read; the last one stays. */
  readonly statuses: readonly (readonly (string | number)[])[];
  /** Ids of processes whose file is refused. */
  readonly refused?: readonly number[];
}

/** @returns requests in order, with the mode of each file */
const serve = ({ statuses, refused = [] }: Service): string[] => {
  const seen: string[] = [];
  const left = statuses.map((list) => [...list]);
  let last = 0;
  const json = (status: number, body: object) => new Response(JSON.stringify(body), { status });
  vi.stubGlobal('fetch', async (url: string, { method, body }: RequestInit) => {
    if (method === 'POST') {
      last += 1;
      return json(201, { id: last, datasetId: 7, status: 'pending' });
    }
    if (method === 'PUT') {
      seen.push(`PUT ${String((body as FormData).get('mode'))}`);
      return refused.includes(last) ? json(400, { error: 'no header' }) : json(201, {});
    }
    const id = Number(url.split('/').pop());
    const list = left[id - 1] ?? [];
    const status = list.length > 1 ? list.shift() : list[0];
    seen.push(`GET ${id} ${status}`);
    return typeof status === 'number'
      ? json(status, { error: 'unavailable' })
      : json(200, { id, datasetId: 7, status });
  });
  return seen;
};

const files = (into: number | 'new', ...modes: string[]) =>
  modes.map((mode, at) => ({
    file: new File(['A\n1\n'], `${at + 1}.csv`),
    into: into === 'new' ? { repositoryId: 1, name: `${at}` } : into,
    options: { mode },
  }));

const shown = () =>
  jobs.get().map(({ file, error }) => [file, error instanceof Error ? error.message : error]);

afterEach(() => {
  vi.unstubAllGlobals();
  jobs.set([]);
});

describe('several files', () => {
  it('are appended to a first one that replaces the rows when its rows are published', async () => {
    const seen = serve({ statuses: [['pending', 503, 'completed'], ['pending']] });
    await start(files(7, 'replace', 'append', 'append'));
    expect(seen).toEqual([
      'PUT replace',
      'GET 1 pending',
      'GET 1 503',
      'GET 1 completed',
      'PUT append',
      'PUT append',
    ]);
    expect(shown()).toEqual([
      ['1.csv', undefined],
      ['2.csv', undefined],
      ['3.csv', undefined],
    ]);
  });

  it('are not appended to the old rows if the first one fails after it was received', async () => {
    const seen = serve({ statuses: [['pending', 'failed']] });
    await start(files(7, 'replace', 'append', 'append'));
    expect(seen.filter((one) => one.startsWith('PUT'))).toEqual(['PUT replace']);
    const notSent = 'Not sent, because 1.csv was not uploaded.';
    expect(shown()).toEqual([
      ['1.csv', undefined],
      ['2.csv', notSent],
      ['3.csv', notSent],
    ]);
  });

  it('are shown as not sent after one that is refused', async () => {
    const seen = serve({ statuses: [], refused: [1] });
    await start(files(7, 'append', 'append'));
    expect(seen).toEqual(['PUT append']);
    expect(shown()).toEqual([
      ['1.csv', 'no header'],
      ['2.csv', 'Not sent, because 1.csv was not uploaded.'],
    ]);
  });

  it('do not wait for each other in other modes, or if each becomes a dataset', async () => {
    const appended = serve({ statuses: [] });
    await start(files(7, 'append', 'append'));
    expect(appended).toEqual(['PUT append', 'PUT append']);
    const created = serve({ statuses: [], refused: [2] });
    await start(files('new', 'replace', 'replace'));
    expect(created).toEqual(['PUT replace', 'PUT replace']);
  });
});

describe('files of a second batch', () => {
  it('leave those of the first one, which is still being sent, as they are', async () => {
    const received: (() => void)[] = [];
    const seen: string[] = [];
    vi.stubGlobal('fetch', async (url: string, { method, body }: RequestInit) => {
      if (method === 'POST') {
        const id = Number(/datasets\/(\d+)/.exec(url)?.[1]) + seen.filter((one) => one === url).length;
        seen.push(url);
        return new Response(JSON.stringify({ id, datasetId: 7, status: 'pending' }), { status: 201 });
      }
      await new Promise<void>((done) => {
        received.push(done);
      });
      const { name } = (body as FormData).get('data') as File;
      return new Response(JSON.stringify({ error: `${name} refused` }), { status: 400 });
    });
    const ids = () => jobs.get().map(({ file, processId, isOver }) => [file, processId, isOver]);

    const first = start(files(10, 'append', 'append'));
    await expect.poll(() => received.length).toBe(1);
    forgetEnded();
    const second = start(files(20, 'upsert'));
    await expect.poll(() => received.length).toBe(2);
    expect(ids()).toEqual([
      ['1.csv', 10, false],
      ['2.csv', undefined, false],
      ['1.csv', 20, false],
    ]);
    received[0]?.();
    await first;
    expect(ids()).toEqual([
      ['1.csv', 10, true],
      ['2.csv', undefined, true],
      ['1.csv', 20, false],
    ]);
    expect(shown()).toEqual([
      ['1.csv', '1.csv refused'],
      ['2.csv', 'Not sent, because 1.csv was not uploaded.'],
      ['1.csv', undefined],
    ]);
    forgetEnded();
    received[1]?.();
    await second;
    expect(ids()).toEqual([['1.csv', 20, true]]);
    forgetEnded();
    expect(ids()).toEqual([]);
  });
});

describe('a new dataset whose first file failed', () => {
  interface Found {
    readonly process?: { readonly status: string; readonly mode: string | null };
    readonly dataset?: object;
    readonly status?: number;
  }

  /** Uploads twice under the same name. @returns the requests of the second upload */
  const secondUpload = async (name: string, found: Found): Promise<string[]> => {
    const seen: string[] = [];
    const dataset = { id: 31, name, repositoryId: 1, currentVersionId: null, ...found.dataset };
    vi.stubGlobal('fetch', async (url: string, { method }: RequestInit) => {
      seen.push(`${method} ${url.replace('/api/datasets', '')}`);
      const json = (status: number, body: object) => new Response(JSON.stringify(body), { status });
      if (method === 'PUT') return json(400, { error: 'no header' });
      if (method === 'POST' && url.endsWith('/processes')) return json(201, { id: 5 });
      if (method === 'POST') return json(201, { id: 31, name, repositoryId: 1 });
      if (found.status !== undefined) return json(found.status, { error: 'not there' });
      return json(200, url.endsWith('/processes') ? (found.process ? [found.process] : []) : dataset);
    });
    const wanted = [
      { file: new File(['A\n'], 'a.csv'), into: { repositoryId: 1, name }, options: { mode: 'replace' } },
    ];
    await start(wanted);
    seen.length = 0;
    await start(wanted);
    return seen;
  };

  const reused = ['GET /31/processes', 'GET /31', 'POST /31/processes', 'PUT /31/data?processId=5'];

  it('gets the next file of that name', async () => {
    const failed = { status: 'failed', mode: 'replace' };
    expect(await secondUpload('failed', { process: failed })).toEqual(reused);
    // The file was refused before it was read.
    expect(await secondUpload('reserved', { process: { status: 'pending', mode: null } })).toEqual(reused);
  });

  it('is left alone if it has a version or another place, is being filled, or is gone', async () => {
    const asked: Record<string, Found> = {
      pending: { process: { status: 'pending', mode: 'replace' } },
      filled: { dataset: { currentVersionId: '9' } },
      renamed: { dataset: { name: 'other' } },
      moved: { dataset: { repositoryId: 2 } },
      gone: { status: 404 },
      shut: { status: 403 },
    };
    for (const [name, found] of Object.entries(asked))
      expect([name, await secondUpload(name, found)]).toEqual([name, expect.arrayContaining(['POST '])]);
  });

  it('is not created again if the service does not say how it is', async () => {
    expect(await secondUpload('unknown', { status: 503 })).toEqual(['GET /31/processes']);
  });
});
