import { randomUUID } from 'node:crypto';
import { createAccountExport } from '../accounts/account-export.js';
import { leave, type Remainder, removeAccount } from '../accounts/account-removal.js';
import { type WrittenFile, writeExportFile } from '../accounts/export-file.js';
import { createCatalog } from '../catalog/catalog.js';
import { readSeriesOf } from '../catalog/refresh-view.js';
import { createTeamAdministration } from '../catalog/team-administration.js';
import { seriesSheet } from '../http/content/series-sheet.js';
import { createScope } from '../lib/scope.js';
import { createSemaphore } from '../lib/semaphore/semaphore.js';
import { createVersions } from '../query/versions.js';
import { createWholeFiles } from '../query/whole-file.js';
import { recordAudit } from '../storage/postgres/audit.js';
import { createProcessRecords } from '../uploads/lifecycle/process-records.js';
import { openCommandReader, openServers } from './clickhouse-servers.js';
import type { CommandParts } from './parts.js';
import { openStorageTools } from './sweep.js';

interface ExportedAccount extends WrittenFile {
  readonly account: string;
}

/** Writes all data of an account to a file, which appears once it is complete. @throws AppError 404. */
export const exportAccount = async (
  parts: CommandParts,
  name: string,
  { to, versions }: { readonly to: string; readonly versions: 'current' | 'all' },
): Promise<ExportedAccount> => {
  const { log, sql } = parts;
  const caller = await createTeamAdministration({ sql }).actAs(name);
  await recordAudit(sql, {
    action: 'account.export',
    target: { kind: 'account', id: caller.accountId, name: caller.accountName },
    details: { versions },
  });
  const reader = openCommandReader(parts, await openServers(parts));
  const semaphore = createSemaphore({
    name: 'queries',
    code: 'no_query_slot',
    maxRunning: 1,
    queueLength: 1,
    maxWaitMs: 60_000,
  });
  const files = createWholeFiles({
    versions: createVersions(sql),
    reader,
    semaphore,
    aboutOf: async (datasetId) => seriesSheet(await readSeriesOf(sql, datasetId)),
    newQueryId: () => `export/${randomUUID()}`,
  });
  const accountExport = createAccountExport({
    sql,
    catalog: createCatalog({ sql }),
    processes: createProcessRecords(sql),
    files,
    log,
  });
  const written = await writeExportFile(to, () =>
    accountExport.open(caller, { versions, owner: 'operator', signal: new AbortController().signal }),
  );
  return { account: caller.accountName, ...written };
};

/** Deletes an account, for a command. @throws the errors of `removeAccount`. */
export const deleteAccount = (parts: CommandParts, name: string): Promise<Remainder[]> =>
  removeAccount({ ...parts, withTools: async (work) => work(await openStorageTools(parts)) }, name);

/** Deletes an account in a running process, and closes the tools afterwards. */
export const leaveFrom = (
  core: Omit<CommandParts, 'scope'>,
  accountId: number,
): Promise<Remainder[] | undefined> =>
  leave(
    {
      ...core,
      async withTools(work) {
        const scope = createScope(core.log);
        try {
          return await work(await openStorageTools({ ...core, scope }));
        } finally {
          await scope.close();
        }
      },
    },
    accountId,
  );
