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
