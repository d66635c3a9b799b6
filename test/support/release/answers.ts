/** Requests to an installation and its answers, which a later release must reproduce. */
import { createHash } from 'node:crypto';
import { type Client, call, json } from '../datasets.js';
import { type AccountName, accountNames, type Clients } from './story.js';

export interface RecordedAnswer {
  /** Account of the request; null for an anonymous one. */
  readonly account: AccountName | null;
  /** Path below `/api`, with its query. */
  readonly path: string;
  /** 302 if the redirect was followed. */
  readonly status: number;
  /** `bytes`: rows, which must be identical. `json`: metadata, to which fields may be added. */
  readonly kind: 'bytes' | 'json';
  /** Body, or a hash if it is long. */
  readonly text: string;
}

/** Longest body that is recorded in full. */
const longestText = 2_000;

/** Replaces a long body by its start, length and hash. */
export const shortened = (text: string): string =>
  text.length <= longestText
    ? text
    : `${text.slice(0, 100)}… ${text.length} characters, SHA-256 ${createHash('sha256').update(text).digest('hex')}`;

type Question = Pick<RecordedAnswer, 'account' | 'path' | 'kind'>;

const rowQueries = [
  '',
  '$format=json',
  '$format=tsv',
  '$top=3&$skip=1',
  '$last=2',
  '$distinct=true&$format=json',
  'transpose=true&$format=json',
];

/** Sends a request; follows the redirect to an exported file. */
export const ask = async (
  baseUrl: string,
  client: Client | null,
  path: string,
): Promise<Pick<RecordedAnswer, 'status' | 'text'>> => {
  const answer =
    client === null
      ? await fetch(`${baseUrl}${path}`, { redirect: 'manual' })
      : await call(client, 'GET', path);
  if (answer.status !== 302) return { status: answer.status, text: await answer.text() };
  const file = await fetch(new URL(answer.headers.get('location') ?? '', baseUrl));
  if (!file.ok) throw new Error(`the link of ${path} answered ${file.status}`);
  return { status: 302, text: await file.text() };
};

const datasetQuestions = async (client: Client, account: AccountName): Promise<Question[]> => {
  const datasets = await json<{ id: number }[]>(await call(client, 'GET', '/datasets'));
  const questions: Question[] = [];
  for (const { id } of datasets) {
    const versions = await json<{ versionId: string }[]>(
      await call(client, 'GET', `/datasets/${id}/versions`),
    );
    for (const path of ['', '/columns', '/versions', '/retention', '/summary', '/permissions'])
      questions.push({ account, path: `/datasets/${id}${path}`, kind: 'json' });
    for (const [at, { versionId }] of versions.entries()) {
      for (const query of at < 3 ? rowQueries : ['', '$format=json'])
        questions.push({
          account,
          path: `/datasets/${id}/data?versionId=${versionId}&${query}`,
          kind: 'bytes',
        });
      const before = versions[at + 1]?.versionId;
      if (before !== undefined && at < 3)
        questions.push({
          account,
          path: `/datasets/${id}/versions/${before}/diff/${versionId}`,
          kind: 'json',
        });
    }
  }
  return questions;
};

const catalogPaths = [
  '/repositories',
  '/repositories/home',
  '/datasets',
  '/teams',
  '/account/keys',
  '/account/read-links',
  '/search?q=prices',
];

/** All requests of the fixture. */
export const questionsTo = async (clients: Clients): Promise<Question[]> => {
  const questions: Question[] = [];
  for (const account of accountNames) {
    questions.push(...catalogPaths.map((path): Question => ({ account, path, kind: 'json' })));
    questions.push(...(await datasetQuestions(clients[account], account)));
  }
  const datasets = new Set(
    questions.map(({ path }) => /^\/datasets\/(\d+)$/.exec(path)?.[1]).filter((id) => id !== undefined),
  );
  // Includes datasets that the account may not read.
  for (const id of datasets)
    for (const account of [null, 'bob'] as const)
      questions.push({ account, path: `/datasets/${id}/data?$format=json`, kind: 'bytes' });
  return questions;
};
