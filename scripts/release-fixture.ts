/**
 * Writes what the release of this build keeps, and what it answers, into test/fixtures: `npm run release-fixture`, once for each
 * release, with the version in package.json. The upgrade test of every later build loads it.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startWholeProduct } from '../bench/support/product.js';
import { settings } from '../src/config.js';
import { call, json } from '../test/support/datasets.js';
import { ask, questionsTo, type RecordedAnswer, shortened } from '../test/support/release/answers.js';
import { earlierRelease, writeFixture } from '../test/support/release/fixture.js';
import {
  type AccountName,
  accountNames,
  type Clients,
  fixtureSettings,
  tellStory,
} from '../test/support/release/story.js';

const { version } = JSON.parse(
  readFileSync(fileURLToPath(new URL('../package.json', import.meta.url)), 'utf8'),
) as { version: string };
if (version !== earlierRelease)
  throw new Error(`this build is ${version}; the fixture is that of ${earlierRelease}`);

const product = await startWholeProduct(fixtureSettings);
try {
  const { baseUrl } = product;
  const ada = { baseUrl, key: (await product.createAccount('ada')).key };
  const bob = { baseUrl, key: (await product.createAccount('bob')).key };
  const made = await json<{ key: string }>(
    await call(ada, 'POST', '/account/keys', { name: 'reader', readOnly: true }),
    201,
  );
  const clients: Clients = { ada, bob, reader: { baseUrl, key: made.key } };
  await tellStory(clients);
  const answers: RecordedAnswer[] = [];
  for (const question of await questionsTo(clients)) {
    const client = question.account === null ? null : clients[question.account];
    const { status, text } = await ask(baseUrl, client, question.path);
    answers.push({ ...question, status, text: question.kind === 'bytes' ? shortened(text) : text });
  }
  const keys = Object.fromEntries(accountNames.map((name) => [name, clients[name].key])) as Record<
    AccountName,
    string
  >;
  await writeFixture(
    {
      databaseUrl: product.databaseUrl,
      clickhouseUrl: product.clickhouseUrl,
      clickhouseDatabase: settings.clickhouseDatabase.default ?? '',
    },
    { keys, answers },
  );
  console.log(`${answers.length} answers of ${earlierRelease} recorded`);
} finally {
  await product.stop();
}
