/**
 * All data of an account as one ZIP, written while it is read: facts as JSON, rows as CSV. `manifest.json` is the last entry
 * and names every other one with size and SHA-256; an archive without it, or that a reader calls cut off, is not complete.
 *
 *   account.json, keys.json, provider-keys.json, teams.json, invitations.json, transfers.json, permissions.json, audit.json
 *   repositories/<id>.json                      with everybody's permissions
 *   datasets/<id>-<name>/dataset.json           with everybody's permissions; columns.json, versions.json, uploads.json
 *   datasets/<id>-<name>/version-<id>.csv       the current version, or all of them
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Catalog } from '../catalog/catalog.js';
import { createUserKeys } from '../gateway/keys/user-keys.js';
import type { ProcessRecords } from '../ingest/lifecycle/process-records.js';
import { createVersionRecords } from '../ingest/versions/version-records.js';
import { isAppError } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import { isoUtc } from '../lib/time.js';
import { createZip } from '../lib/zip.js';
import type { Caller } from '../model/permission.js';
import type { WholeFileRef, WholeFiles } from '../query/whole-file.js';
import type { Sql } from '../storage/postgres/sql.js';

export interface AccountExportParts {
  readonly sql: Sql;
  readonly catalog: Pick<
    Catalog,
    | 'overview'
    | 'keys'
    | 'teams'
    | 'invitations'
    | 'repositories'
    | 'datasets'
    | 'grants'
    | 'auditTrail'
    | 'endedRights'
  >;
  readonly processes: Pick<ProcessRecords, 'list'>;
  readonly files: WholeFiles;
  readonly log: Log;
}

export interface AccountExportOptions {
  /** Rows of the current version of each dataset, or of all that are kept. */
  readonly versions: 'current' | 'all';
  /** Who takes places. */
  readonly owner: string;
  readonly signal: AbortSignal;
}

export interface AccountExport {
  /** The archive; it ends with an error when anything of it cannot be read. */
  open(caller: Caller, options: AccountExportOptions): Readable;
}

interface Entry {
  readonly name: string;
  readonly content: AsyncIterable<Buffer>;
}

/** What the manifest says of an entry. */
interface Listed {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

const pageRows = 500;

/** Tries for a place among the queries; each waits in line for as long as a download does. */
const placeTries = 3;

async function* json(value: Promise<unknown>): AsyncGenerator<Buffer> {
  yield Buffer.from(`${JSON.stringify(await value, null, 2)}\n`);
}

/** A list of any length, a page at a time. */
async function* jsonList(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<Buffer> {
  let between = '[\n';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield Buffer.from(between + page.map((item) => JSON.stringify(item)).join(',\n'));
    between = ',\n';
  }
  yield Buffer.from(between === '[\n' ? '[]\n' : '\n]\n');
}

/** Pages of a list that goes down by ids. */
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

/** The id tells folders apart; the name is for people, in characters that every system takes. */
const folderOf = ({ id, name }: { id: number; name: string }): string => {
  const shown = [...name.normalize('NFC').replace(/[^\p{L}\p{N} ._()+-]/gu, '_')].slice(0, 60).join('');
  return `datasets/${id}-${shown.replace(/^[. ]+|[. ]+$/g, '') || 'data'}`;
};

const receivedSql = `
  SELECT 'repository' AS kind, r.id, r.name, g.level FROM repository_grants g JOIN repositories r ON r.id = g.repository_id
  WHERE g.account_id = $1
  UNION ALL
  SELECT 'dataset', d.id, d.name, g.level FROM dataset_grants g JOIN datasets d ON d.id = g.dataset_id
  WHERE g.account_id = $1 ORDER BY kind, id`;

const transfersSql = `
  SELECT t.repository_id AS "repositoryId", r.name AS repository, f.name AS "from", a.name AS "to",
    t.created_at AS "createdAt"
  FROM repository_transfers t JOIN repositories r ON r.id = t.repository_id
    JOIN accounts f ON f.id = t.offered_by JOIN accounts a ON a.id = t.account_id
  WHERE $1 IN (t.account_id, t.offered_by) ORDER BY t.repository_id`;

interface Owned {
  readonly id: number;
  readonly name: string;
  readonly current: number | null;
}

const datasetsSql = `
  SELECT d.id, d.name, d.current_version_id AS current FROM datasets d JOIN repositories r ON r.id = d.repository_id
  WHERE r.created_by = $1 AND d.id > $2 ORDER BY d.id LIMIT ${pageRows}`;

/** The entries of one export, each opened when the one before was read. */
const createEntries = (parts: AccountExportParts, caller: Caller, options: AccountExportOptions) => {
  const { sql, catalog, processes, files, log } = parts;
  const { accountId } = caller;
  const versions = createVersionRecords(sql);
  const gone: { dataset: number; version?: number }[] = [];

  async function* facts(): AsyncGenerator<Entry> {
    yield { name: 'account.json', content: json(catalog.overview(caller)) };
    yield { name: 'keys.json', content: json(catalog.keys.list(accountId)) };
    // Names of providers: nobody but the provider ever gets the key itself.
    const providerKeys = createUserKeys({ sql, cipher: undefined }).list(accountId);
    yield { name: 'provider-keys.json', content: json(providerKeys) };
    yield { name: 'teams.json', content: json(catalog.teams.list(caller)) };
    yield { name: 'invitations.json', content: json(catalog.invitations.list(caller)) };
    yield { name: 'transfers.json', content: json(sql.query(transfersSql, [accountId])) };
    yield { name: 'permissions.json', content: json(sql.query(receivedSql, [accountId])) };
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
      yield { name: `repositories/${id}.json`, content: json(both()) };
    }
  }

  /** An export of a thousand datasets must not end because all places were taken once. */
  const openFile = async (ref: WholeFileRef): Promise<Readable> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await files.open(await files.plan(ref), options.owner, options.signal);
      } catch (error) {
        if (!isAppError(error) || error.code !== 'no_query_slot' || tries === placeTries) throw error;
        await sleep((error.retryAfterSeconds ?? 1) * 1_000, undefined, { signal: options.signal });
      }
    }
  };

  /** Rows of a version. Undefined: retention or somebody removed it meanwhile. */
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
    yield { name: `${folder}/dataset.json`, content: json(Promise.resolve({ ...rest, permissions })) };
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

  /** The right to export ends with the key that asked for it, and with the account. */
  const requireRight = async (datasetId: number): Promise<void> => {
    if (caller.key.id === 0) return;
    const [ended] = await catalog.endedRights([{ keyId: caller.key.id, datasetId, need: 'Read' }]);
    if (ended !== undefined && ended.kind !== 'not_found') throw ended;
  };

  return {
    gone,
    async *all(): AsyncGenerator<Entry> {
      yield* facts();
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

/** Passes bytes on and notes what they were. */
async function* noted(content: AsyncIterable<Buffer>, note: (bytes: number, sha256: string) => void) {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of content) {
    hash.update(piece);
    bytes += piece.length;
    yield piece;
  }
  note(bytes, hash.digest('hex'));
}

async function* archive(
  { all, gone }: ReturnType<typeof createEntries>,
  head: object,
): AsyncGenerator<Buffer> {
  const zip = createZip({ large: true });
  const listed: Listed[] = [];
  for await (const { name, content } of all())
    yield* zip.entry(
      name,
      noted(content, (bytes, sha256) => listed.push({ name, bytes, sha256 })),
    );
  async function* manifest(): AsyncGenerator<readonly unknown[]> {
    for (let from = 0; from < listed.length; from += pageRows) yield listed.slice(from, from + pageRows);
  }
  yield* zip.entry('files.json', jsonList(manifest()));
  yield* zip.entry('manifest.json', json(Promise.resolve({ ...head, files: listed.length, gone })));
  yield zip.finish();
}

export const createAccountExport = (parts: AccountExportParts): AccountExport => ({
  open(caller, options) {
    const ended = new AbortController();
    const signal = AbortSignal.any([options.signal, ended.signal]);
    const entries = createEntries(parts, caller, { ...options, signal });
    const head = {
      account: caller.accountName,
      versions: options.versions,
      startedAt: isoUtc(new Date()),
    };
    const body = Readable.from(archive(entries, head), { objectMode: false, highWaterMark: 256 * 1024 });
    body.once('close', () => ended.abort());
    return body;
  },
});
