/** Shared state of the clients of a run: accounts, datasets, response counts and faults. */

import type { Random } from '../harness/random.js';
import { count, createFaults } from '../harness/report.js';
import { basic } from '../support/credentials.js';
import { createHistory, type History, type Span } from './history.js';
import { type Allowed, createGrant, type Grant, type Level, type Person, people } from './rights.js';

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly span: Span;
  /** True for 503 with Retry-After, and for a failed request: the outcome says nothing. */
  readonly busy: boolean;
  json<T>(): T;
}

export interface RequestOptions {
  /** An iterable is streamed. */
  readonly body?: object | FormData | AsyncIterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Target {
  /** Addresses of the API processes, `/api` included. */
  readonly apis: readonly string[];
  readonly keys: Readonly<Record<Person, string>>;
}

export interface World {
  request(person: Person, method: string, path: string, options?: RequestOptions): Promise<Reply>;
  /** Records a fault. */
  fault(text: string): void;
  readonly faults: readonly string[];
  /** Number of requests by action and status. */
  readonly counts: Readonly<Record<string, number>>;
  count(what: string): void;
  /** Datasets in use. */
  readonly datasets: History[];
  /** Datasets deleted in this round; requests to them may still be in flight. */
  readonly deleted: History[];
  create(name: string): Promise<History | undefined>;
  readonly repositoryId: number;
  /** Home repository of an account. */
  home(person: Person): number;
  /** Returns whether the person had the permission during the span. */
  allows(person: Person, dataset: History, need: Level, span: Span): Allowed;
  /** Permission of the writer on the repository. */
  readonly writer: Grant;
  /** Permission of the reader on one dataset. */
  reader(dataset: History): Grant;
  /** Permission of the guest on the repository: Write at the start of their uploads. */
  readonly guest: Grant;
  nextNumber(): number;
}

const bodyOf = ({ body, headers = {} }: RequestOptions): RequestInit => {
  if (body === undefined) return { headers };
  if (body instanceof FormData) return { headers, body };
  if (Symbol.asyncIterator in body)
    return { headers, body: ReadableStream.from(body), duplex: 'half' } as RequestInit;
  return { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
};

export const openWorld = async ({ apis, keys }: Target, random: Random): Promise<World> => {
  const faults = createFaults();
  const fault = faults.add;
  const counts: Record<string, number> = {};
  const datasets: History[] = [];
  const deleted: History[] = [];
  const readers = new Map<number, Grant>();
  const writer = createGrant('none');
  const guest = createGrant('none');
  let number = 0;

  const send = async (url: string, init: RequestInit): Promise<{ answer: Response; text: string }> => {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) });
    return { answer, text: await answer.text() };
  };

  const request: World['request'] = async (person, method, path, options = {}) => {
    const init = bodyOf(options);
    const headers = { authorization: basic(keys[person]), ...init.headers };
    const what = `${method} ${path} by the ${person}`;
    const from = performance.now();
    try {
      // Follows the redirect to the file of a whole version.
      const { answer, text } = await send(`${random.pick(apis)}${path}`, { ...init, method, headers });
      const busy = answer.status === 503 && answer.headers.has('retry-after');
      if (answer.status >= 500 && !busy) fault(`${what}: ${answer.status} ${text.slice(0, 300)}`);
      const span = { from, to: performance.now() };
      return { status: answer.status, text, span, busy, json: <T>() => JSON.parse(text) as T };
    } catch (error) {
      fault(`${what}: ${error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : error}`);
      const span = { from, to: performance.now() };
      return { status: 0, text: '', span, busy: true, json: () => ({}) as never };
    }
  };

  const idOf = async (reply: Promise<Reply>): Promise<number> => (await reply).json<{ id: number }>().id;
  const repository = { name: 'shared', privacy: 'Private' };
  const repositoryId = await idOf(request('owner', 'POST', '/repositories', { body: repository }));
  const homes = Object.fromEntries(
    await Promise.all(
      people.map(
        async (person) => [person, await idOf(request(person, 'GET', '/repositories/home'))] as const,
      ),
    ),
  );

  const reader = ({ datasetId }: History): Grant => {
    const known = readers.get(datasetId) ?? createGrant('none');
    readers.set(datasetId, known);
    return known;
  };

  return {
    request,
    fault,
    get faults() {
      return faults.all;
    },
    counts,
    count: (what) => count(counts, what),
    datasets,
    deleted,
    repositoryId,
    home: (person) => homes[person] ?? 0,
    async create(name) {
      const reply = await request('owner', 'POST', '/datasets', { body: { name, repositoryId } });
      if (reply.status !== 201) {
        if (!reply.busy) fault(`a dataset was not created: ${reply.status} ${reply.text.slice(0, 200)}`);
        return undefined;
      }
      return createHistory(reply.json<{ id: number }>().id, 'owner');
    },
    allows(person, dataset, need, span) {
      if (person === dataset.owner) return 'yes';
      if (dataset.owner !== 'owner' || person === 'stranger') return 'no';
      const grants = { owner: undefined, writer, guest, reader: reader(dataset) };
      return grants[person]?.allows(need, span) ?? 'no';
    },
    writer,
    reader,
    guest,
    nextNumber: () => {
      number += 1;
      return number;
    },
  };
};
