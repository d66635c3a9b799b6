/** Entries of an account export. Each is opened after the previous one has been read. */
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Catalog } from '../catalog/catalog.js';
import { receivedGrants } from '../catalog/grants.js';
import { listTransfers } from '../catalog/repository-transfers.js';
import { rightOf } from '../catalog/standing-rights.js';
import { createUserKeys } from '../gateway/keys/user-keys.js';
import { isAppError } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import type { Caller } from '../model/permission.js';
import type { WholeFileRef, WholeFiles } from '../query/whole-file.js';
import type { Sql } from '../storage/postgres/sql.js';
import type { ProcessRecords } from '../uploads/lifecycle/process-records.js';
import { createVersionRecords } from '../versions/version-records.js';
import { json, jsonList, pageRows } from './json-entries.js';

export interface AccountExportParts {
  readonly sql: Sql;
  readonly catalog: Pick<
    Catalog,
    | 'overview'
    | 'keys'
    | 'readLinks'
    | 'teams'
    | 'invitations'
    | 'repositories'
    | 'datasets'
    | 'grants'
    | 'auditTrail'
    | 'rights'
  >;
  readonly processes: Pick<ProcessRecords, 'list'>;
  readonly files: Pick<WholeFiles, 'open'>;
  readonly log: Log;
}

export interface AccountExportOptions {
  /** Export the rows of the current version of each dataset, or of all versions. */
  readonly versions: 'current' | 'all';
  /** Owner of the query permits. */
  readonly owner: string;
  readonly signal: AbortSignal;
}

interface Entry {
  readonly name: string;
  readonly content: AsyncIterable<Buffer>;
}

/** Attempts to acquire a query permit, each as long as for a download. */
const permitTries = 3;

/** Reads a list sorted by descending id in pages. */
async function* pagesOf<T>(
  read: (before: number | undefined) => Promise<readonly T[]>,
  idOf: (item: T) => number,
): AsyncGenerator<readonly T[]> {
  for (let before: number | undefined; ; ) {
    const page = await read(before);
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageRows) return;
    before = idOf(last);
  }
}

/** Folder of a dataset. The id makes it unique; the name is for people, limited to characters that every file system accepts. */
const folderOf = ({ id, name }: { id: number; name: string }): string => {
  const shown = [...name.normalize('NFC').replace(/[^\p{L}\p{N} ._()+-]/gu, '_')].slice(0, 60).join('');
  return `datasets/${id}-${shown.replace(/^[. ]+|[. ]+$/g, '') || 'data'}`;
};

interface Owned {
  readonly id: number;
  readonly name: string;
  readonly current: number | null;
}

const datasetsSql = `
  SELECT d.id, d.name, d.current_version_id AS current FROM datasets d JOIN repositories r ON r.id = d.repository_id
  WHERE r.created_by = $1 AND d.id > $2 ORDER BY d.id LIMIT ${pageRows}`;

export const createEntries = (parts: AccountExportParts, caller: Caller, options: AccountExportOptions) => {
  const { sql, catalog, processes, files, log } = parts;
  const { accountId } = caller;
  const versions = createVersionRecords(sql);
  const gone: { dataset: number; version?: number }[] = [];

  async function* documents(): AsyncGenerator<Entry> {
    yield { name: 'account.json', content: json(() => catalog.overview(caller)) };
    yield { name: 'keys.json', content: json(() => catalog.keys.list(accountId)) };
    yield { name: 'read-links.json', content: json(() => catalog.readLinks.list(caller)) };
    // Only names of providers: a key is sent to no one but its provider.
    const providerKeys = createUserKeys({ sql, cipher: undefined });
    yield { name: 'provider-keys.json', content: json(() => providerKeys.list(accountId)) };
    yield { name: 'teams.json', content: json(() => catalog.teams.list(caller)) };
    yield { name: 'invitations.json', content: json(() => catalog.invitations.list(caller)) };
    yield { name: 'transfers.json', content: json(() => listTransfers(sql, accountId)) };
    yield { name: 'permissions.json', content: json(() => receivedGrants(sql, accountId)) };
    const events = pagesOf(
      (before) => catalog.auditTrail.list({ top: pageRows, before, accountId }),
      ({ id }) => id,
    );
    yield { name: 'audit.json', content: jsonList(events) };
  }

  async function* owned<T extends { readonly id: number }>(statement: string): AsyncGenerator<T> {
    for (let after = 0; ; ) {
      const page = await sql.query<T>(statement, [accountId, after]);
      yield* page;
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.id;
    }
  }

  async function* repositories(): AsyncGenerator<Entry> {
    const statement = `SELECT id FROM repositories WHERE created_by = $1 AND id > $2 ORDER BY id LIMIT ${pageRows}`;
    for await (const { id } of owned<{ id: number }>(statement)) {
      const both = async () => ({
        ...(await catalog.repositories.read(caller, id)),
        permissions: await catalog.grants.listOnRepository(caller, id),
      });
      yield { name: `repositories/${id}.json`, content: json(both) };
    }
  }

  /** Retries, since an export of a thousand datasets must not fail because all permits were in use once. */
  const openFile = async (ref: WholeFileRef): Promise<Readable> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await files.open(ref, { owner: options.owner, signal: options.signal });
      } catch (error) {
        if (!isAppError(error) || error.code !== 'no_query_slot' || tries === permitTries) throw error;
        await sleep((error.retryAfterSeconds ?? 1) * 1_000, undefined, { signal: options.signal });
      }
    }
  };

  /** Opens the rows of a version; undefined if it was deleted meanwhile. */
  const openVersion = async (datasetId: number, versionId: number, isCurrent: boolean) => {
    try {
      return await openFile({
        datasetId,
        versionId,
        variant: 'table',
        format: 'csv',
        presentNames: isCurrent,
      });
    } catch (error) {
      if (!isAppError(error) || error.kind !== 'not_found') throw error;
      log.debug({ dataset: datasetId, version: versionId }, 'version of an export is gone');
      gone.push({ dataset: datasetId, version: versionId });
      return undefined;
    }
  };

  async function* rowsOf(dataset: Owned, folder: string): AsyncGenerator<Entry> {
    const pages =
      options.versions === 'all'
        ? pagesOf(
            (before) => versions.list(dataset.id, { top: pageRows, before }),
            ({ versionId }) => Number(versionId),
          )
        : [dataset.current === null ? [] : [{ versionId: String(dataset.current), current: true }]];
    for await (const page of pages)
      for (const { versionId, current } of page) {
        const rows = await openVersion(dataset.id, Number(versionId), current);
        if (rows !== undefined) yield { name: `${folder}/version-${versionId}.csv`, content: rows };
      }
  }

  async function* dataset(one: Owned): AsyncGenerator<Entry> {
    const { id } = one;
    const folder = folderOf(one);
    const { columns, moreColumns, ...rest } = await catalog.datasets.read(caller, id);
    const permissions = await catalog.grants.listOnDataset(caller, id);
    yield { name: `${folder}/dataset.json`, content: json(async () => ({ ...rest, permissions })) };
    async function* columnPages(): AsyncGenerator<readonly unknown[]> {
      yield columns;
      if (moreColumns !== undefined) yield* moreColumns;
    }
    yield { name: `${folder}/columns.json`, content: jsonList(columnPages()) };
    const versionPages = pagesOf(
      (before) => versions.list(id, { top: pageRows, before }),
      ({ versionId }) => Number(versionId),
    );
    yield { name: `${folder}/versions.json`, content: jsonList(versionPages) };
    const uploads = pagesOf(
      (before) => processes.list(id, { top: pageRows, before }),
      (process) => process.id,
    );
    yield { name: `${folder}/uploads.json`, content: jsonList(uploads) };
    yield* rowsOf(one, folder);
  }

  /** Ends the export when the key that requested it, or the account, loses its rights. */
  const requireRight = async (datasetId: number): Promise<void> => {
    if (caller.key.id === 0) return;
    const [ended] = await catalog.rights.findEnded([rightOf(caller, datasetId)]);
    if (ended !== undefined && ended.kind !== 'not_found') throw ended;
  };

  return {
    gone,
    async *all(): AsyncGenerator<Entry> {
      yield* documents();
      yield* repositories();
      for await (const one of owned<Owned>(datasetsSql)) {
        await requireRight(one.id);
        try {
          yield* dataset(one);
        } catch (error) {
          if (!isAppError(error) || error.code !== 'dataset_not_found') throw error;
          gone.push({ dataset: one.id });
        }
      }
    },
  };
};
