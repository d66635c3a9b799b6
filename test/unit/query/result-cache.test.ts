import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/lib/metrics/metrics.js';
import { createResultCache, type OpenedAnswer } from '../../../src/query/result-cache.js';

const never = new AbortController().signal;

const request = (question: string, signal = never, owner = 'account:1') => ({ question, owner, signal });

const createAnswers = (maxBytes = 4 * 1024 * 1024) =>
  createResultCache({ maxBytes, metrics: createMetrics().resultCache });

/** Opens streams of these pieces. Each stream waits for `go`. */
const createSource = (...pieces: (string | Buffer | Error)[]) => {
  const runs: { signal: AbortSignal; go: () => void }[] = [];
  const open = async (signal: AbortSignal): Promise<OpenedAnswer> => {
    let go = (): void => undefined;
    const started = new Promise<void>((resolve) => {
      go = resolve;
    });
    runs.push({ signal, go });
    async function* all() {
      await started;
      for (const piece of pieces) {
        if (piece instanceof Error) throw piece;
        yield Buffer.from(piece);
      }
    }
    return { body: Readable.from(all(), { objectMode: false }), rowCount: 7, next: undefined };
  };
  const at = async (index: number): Promise<void> => {
    await expect.poll(() => runs.length).toBeGreaterThan(index);
    runs[index]?.go();
  };
  return { runs, open, at };
};

const bytesOf = async ({ body }: { body: Buffer | Readable }): Promise<Buffer> =>
  Buffer.isBuffer(body) ? body : buffer(body);

describe('cached results', () => {
  it('are read once for concurrent and later requests', async () => {
    const answers = createAnswers();
    const { runs, open, at } = createSource('rows', ' and more');
    const both = Promise.all([answers.find(request('q'), open), answers.find(request('q'), open)]);
    await at(0);
    for (const found of [...(await both), await answers.find(request('q'), open)])
      expect([String(found.body), found.rowCount]).toEqual(['rows and more', 7]);
    expect(runs).toHaveLength(1);
  });

  it('are read once per account concurrently, and shared by all accounts later', async () => {
    const answers = createAnswers();
    const { runs, open, at } = createSource('rows');
    const both = Promise.all(
      ['account:1', 'account:2'].map((owner) => answers.find(request('q', never, owner), open)),
    );
    await at(0);
    await at(1);
    expect((await both).map(({ body }) => String(body))).toEqual(['rows', 'rows']);
    await answers.find(request('q', never, 'account:3'), open);
    expect(runs).toHaveLength(2);
  });

  it('reach the other callers if the first one disconnects', async () => {
    const answers = createAnswers();
    const { runs, open, at } = createSource('rows');
    const first = new AbortController();
    const left = answers.find(request('q', first.signal), open);
    const stayed = answers.find(request('q'), open);
    first.abort(new Error('hung up'));
    await expect(left).rejects.toThrow('hung up');
    await at(0);
    expect(String((await stayed).body)).toBe('rows');
    expect(runs[0]?.signal.aborted).toBe(false);
  });

  it('are not cached if the read fails', async () => {
    const answers = createAnswers();
    const broken = createSource('rows', new Error('broke off'));
    const found = answers.find(request('q'), broken.open);
    await broken.at(0);
    await expect(found).rejects.toThrow('broke off');
    const whole = createSource('all rows');
    const second = answers.find(request('q'), whole.open);
    await whole.at(0);
    expect(String((await second).body)).toBe('all rows');
  });

  it('are streamed completely but not cached if they are large', async () => {
    const answers = createAnswers();
    const pieces = Array.from({ length: 40 }, (_, index) => Buffer.alloc(32 * 1024, index));
    const { runs, open, at } = createSource(...pieces);
    const both = Promise.all([1, 2].map(async () => bytesOf(await answers.find(request('q'), open))));
    await at(0);
    await at(1);
    for (const bytes of await both) expect(bytes.equals(Buffer.concat(pieces))).toBe(true);
    expect(runs).toHaveLength(2);
  });

  it('end with an error if they are large and the read fails', async () => {
    const { open, at } = createSource(Buffer.alloc(300 * 1024), new Error('broke off'));
    const found = createAnswers().find(request('q'), open);
    await at(0);
    await expect(found.then(bytesOf)).rejects.toThrow('broke off');
  });

  it('are streamed from the first byte on if they are large or slow', async () => {
    const answers = createAnswers();
    for (const pieces of [[Buffer.alloc(300 * 1024, 1), Buffer.alloc(10, 2)], [Buffer.alloc(10, 3)]]) {
      const source = new PassThrough();
      const found = answers.find(request(`q${pieces.length}`), async () => ({
        body: source,
        rowCount: undefined,
        next: undefined,
      }));
      for (const piece of pieces) source.write(piece);
      const { body } = await found;
      expect(body).toBe(source);
      source.end('the end');
      const whole = Buffer.concat([...pieces, Buffer.from('the end')]);
      expect((await buffer(body as Readable)).equals(whole)).toBe(true);
    }
  });

  it('may fail before they have a reader', async () => {
    const { open, at } = createSource(Buffer.alloc(300 * 1024), new Error('broke off'));
    const found = createAnswers().find(request('q'), open);
    await at(0);
    const { body } = await found;
    const read = body as Readable;
    read.read();
    await expect.poll(() => read.closed).toBe(true);
    await expect(bytesOf({ body: read })).rejects.toThrow('broke off');
  });

  it('stay within their limit of memory, which may be zero', async () => {
    const small = createAnswers(4_000);
    const none = createAnswers(0);
    const { runs, open } = createSource();
    const ready = async (signal: AbortSignal): Promise<OpenedAnswer> => {
      const opened = await open(signal);
      runs.at(-1)?.go();
      return { ...opened, body: Readable.from([Buffer.alloc(600)]) };
    };
    for (const name of ['a', 'b', 'c', 'd', 'e', 'a']) await small.find(request(name), ready);
    expect(runs).toHaveLength(6);
    await small.find(request('a'), ready);
    expect(runs).toHaveLength(6);
    for (const name of ['a', 'a']) await bytesOf(await none.find(request(name), ready));
    expect(runs).toHaveLength(8);
  });
});
