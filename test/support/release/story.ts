/** Content of the release fixture: a dataset for each way in which rows, columns and permissions are stored. */
import { type Client, call, createDataset, json, upload } from '../datasets.js';
import { uploadWith } from '../upload-options.js';

export const accountNames = ['ada', 'bob', 'reader'] as const;
export type AccountName = (typeof accountNames)[number];
/** Clients of `ada` and `bob`; `reader` is a read-only key of ada. */
export type Clients = Readonly<Record<AccountName, Client>>;

/** Settings that give small datasets their own tables and join patches soon. */
export const fixtureSettings = {
  poolMaxRows: '100',
  patchMaxPercent: '80',
  patchFoldMinPercent: '0',
  compactionIntervalMs: '300',
  segmentGraceMs: '0',
  exportsAheadBytes: '0',
  gatewayIntervalMs: '86400000',
} as const;

const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `${line(at)}\n`).join('');

/** All upload modes on a small dataset in a shared table. */
const smallOne = async (ada: Client): Promise<void> => {
  const id = await createDataset(ada, 'All modes, small');
  await upload(ada, id, 'Day,Key,Amount\n2024-01-01,a,0.10\n2024-01-02,b,\n0004-02-29,"c ""d"", e",-7\n');
  await uploadWith(ada, id, 'Day,Key,Amount\n2024-02-29,new,0.30\n', { mode: 'append' });
  const key = { key: JSON.stringify(['Day', 'Key']) };
  await uploadWith(ada, id, 'Day,Key,Amount\n2024-01-02,b,2\n2024-01-03,f,3\n', { mode: 'upsert', ...key });
  await uploadWith(ada, id, 'Day,Key\n2024-01-01,a\n', { mode: 'delete', ...key });
  await uploadWith(ada, id, 'Day,Key,Amount\n2024-01-02,b,2\n2024-03-01,g,9\n', { mode: 'sync', ...key });
};

/** A dataset with its own table, changed often enough that its patches are joined. */
const patchedOne = async (ada: Client): Promise<void> => {
  const id = await createDataset(ada, 'Changed often');
  await upload(ada, id, `Id,Name,Value\n${lines(2_000, (at) => `k${at},name ${at % 7},${at / 8}`)}`);
  const key = { key: JSON.stringify(['Id']) };
  for (let turn = 0; turn < 20; turn += 1)
    await uploadWith(ada, id, `Id,Name,Value\nk${turn * 3},changed ${turn},${turn}.5\nnew ${turn},,\n`, {
      mode: 'upsert',
      ...key,
    });
  await uploadWith(ada, id, 'Id\nk3\nk1999\n', { mode: 'delete', ...key });
  await uploadWith(ada, id, `Id,Name,Value\n${lines(1_900, (at) => `k${at},name ${at % 7},${at / 8}`)}`, {
    mode: 'sync',
    ...key,
  });
};

/** Widened column types, exact decimals, far dates, rejected rows, many columns, a header without rows. */
const typedOnes = async (ada: Client): Promise<void> => {
  const widened = await createDataset(ada, 'Widened');
  await upload(ada, widened, 'When,What,Exact\n2024-01-01,1,12345678901234567.5\n9999-12-31,2,0.25\n');
  await uploadWith(ada, widened, 'When,What,Exact\n2024-01-02T10:00:00Z,text,0.0000000001\n', {
    mode: 'append',
    onTypeConflict: 'widen',
  });
  const long = '1'.repeat(30);
  await uploadWith(ada, widened, `When,What,Exact,More\n,-0,${long},new column\n`, { mode: 'append' });
  const rejected = await createDataset(ada, 'With rejected rows');
  await uploadWith(ada, rejected, 'A,B\n1,2\n3\n4,5,6\n7,8\n', { onBadRow: 'quarantine' });
  const wide = await createDataset(ada, 'Wide');
  const columns = Array.from({ length: 300 }, (_, at) => at);
  await upload(
    ada,
    wide,
    `${columns.map((at) => `"column ${at}, '${at}'"`).join()}\n${lines(5, (row) => columns.map((at) => row * at).join())}`,
  );
  await upload(ada, await createDataset(ada, 'Header alone'), 'A,B\n');
};

/** Labelled, pinned and restored versions, a renamed column, a clone, retention and a read link. */
const versionedOne = async (ada: Client): Promise<void> => {
  const id = await createDataset(ada, 'Prices');
  const first = await upload(ada, id, 'Month,Country,Price\n2024-01,Norway,1.50\n2024-02,Chile,\n');
  const second = await upload(ada, id, 'Month,Country,Price\n2024-03,Norway,4\n');
  const version = (of: { versionId: string | null }, rest = ''): string =>
    `/datasets/${id}/versions/${of.versionId}${rest}`;
  await json(await call(ada, 'PUT', version(first), { label: 'first, with "quotes"', pinned: true }));
  await json(await call(ada, 'POST', version(first, '/restore')), 201);
  const [column] = await json<{ id: number }[]>(await call(ada, 'GET', `/datasets/${id}/columns`));
  await json(await call(ada, 'PATCH', `/datasets/${id}/columns/${column?.id}`, { name: 'Month of it' }));
  await json(await call(ada, 'PUT', version(second), { label: 'second' }));
  const { id: home } = await json<{ id: number }>(await call(ada, 'GET', '/repositories/home'));
  const clone = { repositoryId: home, name: 'Prices, a clone' };
  await json(await call(ada, 'POST', `/datasets/${id}/clone`, clone), 201);
  await json(await call(ada, 'PUT', `/datasets/${id}/retention`, { versions: 50 }));
  const link = { name: 'prices', query: { $filter: 'Price gt 1', $format: 'csv' } };
  await json(await call(ada, 'POST', `/datasets/${id}/read-links`, link), 201);
};

/** Appends whose segments are joined. */
const appendedOne = async (bob: Client): Promise<void> => {
  const id = await createDataset(bob, 'Appended');
  await upload(
    bob,
    id,
    `At,Value\n${lines(400, (at) => `2024-01-01T00:${String(at % 60).padStart(2, '0')}:00Z,${at}`)}`,
  );
  for (let turn = 0; turn < 12; turn += 1)
    await uploadWith(bob, id, `At,Value\n2024-02-${10 + turn}T00:00:00Z,${turn}\n`, { mode: 'append' });
};

/** Repositories of every privacy level, a permission and a team. */
const sharedOnes = async ({ ada, bob }: Clients): Promise<void> => {
  const repository = async (name: string, privacy: string): Promise<number> =>
    (await json<{ id: number }>(await call(ada, 'POST', '/repositories', { name, privacy }), 201)).id;
  const datasetIn = async (repositoryId: number, name: string): Promise<void> => {
    const { id } = await json<{ id: number }>(
      await call(ada, 'POST', '/datasets', { name, repositoryId }),
      201,
    );
    await upload(ada, id, 'A,B\n1,x\n2,y\n');
  };
  const shared = await repository('Private, shared', 'Private');
  await datasetIn(shared, 'Shared');
  await json(await call(ada, 'PUT', `/repositories/${shared}/permissions/bob`, { level: 'Read' }));
  await datasetIn(await repository('Private', 'Private'), 'Hidden');
  await datasetIn(await repository('Open', 'Public'), 'Open to all');
  await json(await call(bob, 'POST', '/teams', { name: 'analysts' }), 201);
};

/** Creates everything one by one, so that ids are deterministic. */
export const tellStory = async (clients: Clients): Promise<void> => {
  await smallOne(clients.ada);
  await patchedOne(clients.ada);
  await typedOnes(clients.ada);
  await versionedOne(clients.ada);
  await appendedOne(clients.bob);
  await sharedOnes(clients);
};
