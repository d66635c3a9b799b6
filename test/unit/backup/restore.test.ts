import { expect, it } from 'vitest';
import { createRestore } from '../../../src/backup/restore.js';
import { silentLog } from '../../../src/lib/log.js';

type Options = Parameters<typeof createRestore>[0];

const lostAnswer = new Error('the connection was lost at COMMIT');

/** A restore whose commit has no answer. @param after What PostgreSQL then says about the catalog. */
const restoreWith = (after: () => { accounts: boolean; stores: boolean }) => {
  let isLoaded = false;
  let cleared = 0;
  const manifest = {
    id: 'one',
    baseline: 'baseline',
    migrations: [],
    needed: [],
    catalog: [],
    segments: [],
    counts: { segments: 0 },
  };
  const restore = createRestore({
    folder: { list: async () => ['one'], manifest: async () => manifest },
    hold: async () => ({ release: async () => undefined }),
    baseline: 'baseline',
    knownMigrations: [],
    sql: {
      query: async (text: string) => {
        if (text.includes('to_regclass')) return [{ there: true }];
        return [isLoaded ? after() : { accounts: false, stores: false }];
      },
    },
    migrate: async () => undefined,
    refuseOther: async () => undefined,
    load: async () => {
      isLoaded = true;
      throw lostAnswer;
    },
    target: {
      requireEmpty: async () => undefined,
      prepare: async () => undefined,
      claim: async () => 'installation',
      clear: async () => {
        cleared += 1;
      },
    },
    log: silentLog,
  } as unknown as Options);
  return { run: () => restore.run(), cleared: () => cleared };
};

it('keeps the rows of a restore that PostgreSQL has committed although its answer was lost', async () => {
  const { run, cleared } = restoreWith(() => ({ accounts: true, stores: true }));
  await expect(run()).rejects.toThrow('PostgreSQL has restored the catalog');
  expect(cleared()).toBe(0);
});

it('keeps the rows of a restore when PostgreSQL cannot say whether it has committed', async () => {
  const { run, cleared } = restoreWith(() => {
    throw new Error('no connection');
  });
  await expect(run()).rejects.toThrow('It is not known whether');
  expect(cleared()).toBe(0);
});

it('removes the rows of a restore that PostgreSQL has not committed', async () => {
  const { run, cleared } = restoreWith(() => ({ accounts: false, stores: false }));
  await expect(run()).rejects.toBe(lostAnswer);
  expect(cleared()).toBe(1);
});
