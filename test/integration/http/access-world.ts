import { type Catalog, createCatalog } from '../../../src/catalog/catalog.js';
import { createTeamAdministration } from '../../../src/catalog/team-administration.js';
import type { Caller } from '../../../src/model/permission.js';
import type { Sql } from '../../../src/storage/postgres/sql.js';
import { upload } from '../../support/datasets.js';
import type { CallerName, Privacy } from './access-table.js';

/** A repository with a dataset, and the ids that requests need. */
export interface Subject {
  readonly repositoryId: number;
  readonly datasetId: number;
  readonly columnId: number;
  readonly processId: number;
  /** The current version of the dataset. */
  readonly versionId: number;
  readonly team: string;
  /** Id of an unused key of the owner. */
  readonly spareKeyId: number;
  /** Id of a read link of the owner. */
  readonly linkId: number;
}

export interface World {
  /** Key that a caller sends; undefined for none. */
  keyOf(caller: CallerName): string | undefined;
  homeOf(caller: CallerName): number;
  /** Shared subject with data, for requests that change nothing. */
  shared(privacy: Privacy): Subject;
  /** New subject without data, for a request that destroys it. */
  fresh(privacy: Privacy): Promise<Subject>;
}

const people = [
  'stranger',
  'read',
  'clone',
  'write',
  'admin',
  'owner',
  'member',
  'tadmin',
  'operator',
] as const;
type Person = (typeof people)[number];

interface Made {
  readonly id: number;
  readonly key: string;
  readonly home: number;
}

const makePeople = async (catalog: Catalog): Promise<Record<Person, Made>> => {
  const made: [Person, Made][] = [];
  for (const name of [...people, 'guest'] as Person[]) {
    const { id } = await catalog.accounts.create({
      name,
      plan: 'unlimited',
      isOperator: name === 'operator',
    });
    const { key } = await catalog.keys.create(id, { name: 'matrix' });
    const home = await catalog.repositories.home(await catalog.authenticate(key));
    made.push([name, { id, key, home: home.id }]);
  }
  return Object.fromEntries(made) as Record<Person, Made>;
};

const makeTeam = async (catalog: Catalog, owner: Caller, name: string): Promise<void> => {
  await catalog.teams.create(owner, name);
};

let count = 0;

const makeSubject = async (sql: Sql, catalog: Catalog, ownerKey: string, privacy: Privacy) => {
  count += 1;
  const team = `team ${count}`;
  await makeTeam(catalog, await catalog.authenticate(ownerKey), team);
  const owner = await catalog.authenticate(ownerKey);
  const { add } = createTeamAdministration({ sql });
  await add(team, 'member', 'member');
  await add(team, 'tadmin', 'admin');
  await add(team, 'guest', 'member');
  const repository = await catalog.repositories.create(owner, { name: `subject ${count}`, privacy, team });
  for (const [name, level] of [
    ['read', 'Read'],
    ['clone', 'Clone'],
    ['write', 'Write'],
    ['admin', 'Admin'],
    ['guest', 'Read'],
  ] as const)
    await catalog.grants.putOnRepository(owner, repository.id, name, level);
  const dataset = await catalog.datasets.create(owner, repository.id, { name: 'subject' });
  await catalog.grants.putOnDataset(owner, dataset.id, 'guest', 'Read');
  const { id: linkId } = await catalog.readLinks.create(owner, {
    name: 'link',
    datasetId: dataset.id,
    query: {},
    chart: null,
  });
  const { id: spareKeyId } = await catalog.keys.create(owner.accountId, { name: 'spare' });
  return {
    repositoryId: repository.id,
    datasetId: dataset.id,
    columnId: 0,
    processId: 0,
    versionId: 0,
    team,
    spareKeyId,
    linkId,
  };
};

/** Creates all callers of the access table on a running API. */
export const createWorld = async (sql: Sql, baseUrl: string): Promise<World> => {
  const catalog = createCatalog({ sql });
  const made = await makePeople(catalog);
  const { owner } = made;
  const elsewhere = await catalog.repositories.create(await catalog.authenticate(owner.key), {
    name: 'elsewhere',
    privacy: 'Private',
  });
  const readOnly = await catalog.keys.create(owner.id, { name: 'ro', readOnly: true });
  const other = await catalog.keys.create(owner.id, { name: 'other', repositoryIds: [elsewhere.id] });
  const revoked = await catalog.keys.create(owner.id, { name: 'revoked' });
  await catalog.keys.revoke(owner.id, revoked.id);

  const filled = async (privacy: Privacy): Promise<Subject> => {
    const subject = await makeSubject(sql, catalog, owner.key, privacy);
    const process = await upload(
      { baseUrl, key: owner.key },
      subject.datasetId,
      'Country,Value\nFR,1\nES,2\n',
    );
    if (process.status !== 'completed')
      throw new Error(`the subject has no data: ${JSON.stringify(process)}`);
    const { columns } = await catalog.columns.list(await catalog.authenticate(owner.key), subject.datasetId);
    const [column] = columns;
    return {
      ...subject,
      processId: process.id,
      versionId: Number(process.versionId),
      columnId: column?.id ?? 0,
    };
  };
  const subjects = { Private: await filled('Private'), Public: await filled('Public') };

  return {
    keyOf(caller) {
      switch (caller) {
        case 'none':
          return undefined;
        case 'ro':
          return readOnly.key;
        case 'other':
          return other.key;
        case 'revoked':
          return revoked.key;
        default:
          return made[caller].key;
      }
    },
    homeOf: (caller) => (caller in made ? made[caller as Person] : owner).home,
    shared: (privacy) => subjects[privacy],
    fresh: (privacy) => makeSubject(sql, catalog, owner.key, privacy),
  };
};
