import { afterEach, expect, it, vi } from 'vitest';

interface Process {
  readonly id: number;
  readonly status: string;
}

interface FollowModule {
  follow(
    datasetId: number,
    processId: number,
    listener: {
      onProcess(process: Process): void;
      onError(error: unknown, isPassing: boolean): void;
    },
  ): () => void;
}

// Not a static import: its types are those of browsers, which differ from those of Node.
const path = new URL('../../../web/src/lib/follow.ts', import.meta.url).pathname;
const { follow } = (await import(path)) as FollowModule;

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Answers with the next status of each process; the last one stays. */
const serve = (statuses: readonly (readonly (string | number)[])[]) => {
  const left = statuses.map((list) => [...list]);
  const open = { now: 0, most: 0, all: [] as number[], onRequest: () => {} };
  vi.stubGlobal('fetch', async (url: string, { signal }: RequestInit) => {
    const id = Number(url.split('/').pop());
    open.all.push(id);
    open.now += 1;
    open.onRequest();
    open.most = Math.max(open.most, open.now);
    await new Promise((done) => {
      setImmediate(done);
    });
    open.now -= 1;
    signal?.throwIfAborted();
    const list = left[id] ?? [];
    const status = list.length > 1 ? list.shift() : list[0];
    return typeof status === 'number'
      ? new Response('{"error":"no"}', { status })
      : new Response(JSON.stringify({ id, status }), { status: 200 });
  });
  return open;
};

const record = (id: number, seen: unknown[]) =>
  follow(7, id, {
    onProcess: ({ status }) => seen.push(`${id} ${status}`),
    onError: (_, isPassing) => seen.push(`${id} ${isPassing ? 'passing' : 'final'}`),
  });

it('has one request open at a time, however many processes it follows', async () => {
  const open = serve(Array.from({ length: 9 }, () => ['pending', 'completed']));
  const seen: unknown[] = [];
  for (let id = 0; id < 9; id += 1) record(id, seen);
  await expect.poll(() => seen.filter((one) => String(one).endsWith('completed')).length).toBe(9);
  expect(open.most).toBe(1);
  expect(open.all.length).toBe(18);
});

it('goes on after a passing error, and ends with another one or with the process', async () => {
  const open = serve([
    [503, 429, 'pending', 'failed'],
    ['pending', 404],
  ]);
  const seen: unknown[] = [];
  record(0, seen);
  record(1, seen);
  await expect.poll(() => seen).toContain('0 failed');
  expect(seen.filter((one) => String(one).startsWith('0'))).toEqual([
    '0 passing',
    '0 passing',
    '0 pending',
    '0 failed',
  ]);
  expect(seen.filter((one) => String(one).startsWith('1'))).toEqual(['1 pending', '1 final']);
  expect(open.all.length).toBe(6);
});

it('reports nothing of a process that is no longer followed', async () => {
  const open = serve([['pending'], ['pending', 'completed']]);
  const seen: unknown[] = [];
  const stop = record(0, seen);
  record(1, seen);
  open.onRequest = () => stop();
  await expect.poll(() => seen).toContain('1 completed');
  expect(seen).toEqual(['1 pending', '1 completed']);
});
