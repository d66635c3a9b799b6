import { type Client, call } from '../../support/datasets.js';

/** Answers by what was asked: path, tags and row count of the answer are part of the text. */
export type Answers = Map<string, string>;

const questions = [
  '',
  '&$format=json',
  '&$filter=k%20ne%20null&$top=3&$skip=1',
  '&$filter=v%20gt%202&$orderby=v%20desc',
  '&$last=2',
];

/** What a version answers to many questions, byte by byte. */
export const answersOf = async (client: Client, dataset: number, version: string): Promise<Answers> => {
  const answers: Answers = new Map();
  const ask = async (question: string): Promise<void> => {
    const path = `/datasets/${dataset}/data?versionId=${version}${question}`;
    let response = await call(client, 'GET', path);
    const head = `${response.status} ${response.headers.get('etag')} ${response.headers.get('row-count')}`;
    const location = response.headers.get('location');
    if (location !== null) response = await fetch(new URL(location, client.baseUrl));
    answers.set(path, `${head}\n${(await response.text()).replaceAll('\r\n', '\n')}`);
  };
  await Promise.all(questions.map(ask));
  return answers;
};
