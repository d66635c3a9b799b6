import type { Readable } from 'node:stream';
import { z } from 'zod';
import { requireFullKey } from '../../catalog/key-rights.js';
import type { Quotas } from '../../catalog/quotas.js';
import { rightOf } from '../../catalog/standing-rights.js';
import type { Caller } from '../../model/permission.js';
import { dispositionOf, fileNameOf } from '../content/disposition.js';
import { type Route, route } from '../route.js';
import { meterOf } from './download-answer.js';

interface AccountExportRouteDeps {
  readonly quotas: Pick<Quotas, 'startExport'>;
  readonly accountExport: {
    open(
      caller: Caller,
      options: { versions: 'current' | 'all'; owner: string; signal: AbortSignal },
    ): Readable;
  };
}

export const createAccountExportRoute = ({ quotas, accountExport }: AccountExportRouteDeps): Route =>
  route({
    method: 'GET',
    path: '/account/export',
    operationId: 'exportAccount',
    summary: 'Get all data of your account as a ZIP',
    description:
      'As JSON: the account, its keys without secrets, names of providers for which it has a key, teams, invitations, ' +
      'permissions, what the audit trail has of it, each repository, and each dataset with columns, versions, uploads and ' +
      'permissions. The rows of each dataset of your own repositories as CSV. `files.json` names every file with size and ' +
      'SHA-256; `manifest.json` is the last file: an archive without it is incomplete. Counts as one export. Needs a key that ' +
      'is not limited.',
    tags: ['Account'],
    auth: 'required',
    permit: 'files',
    query: z.object({
      versions: z.enum(['current', 'all'], 'must be current or all').optional().meta({
        description: 'Rows of the current version of each dataset (default), or of all kept versions.',
      }),
    }),
    responses: { 200: { description: 'The archive.', contentTypes: ['application/zip'] } },
    errors: [402, 403],
    handler: async (request) => {
      const { caller, query, owner, signal } = request;
      requireFullKey(caller);
      const ticket = await quotas.startExport(caller);
      const body = accountExport.open(caller, { versions: query.versions ?? 'current', owner, signal });
      return {
        status: 200,
        headers: {
          'Content-Type': 'application/zip',
          'Cache-Control': 'no-store',
          'Content-Disposition': dispositionOf(fileNameOf(`${caller.accountName} export`, 'zip')),
        },
        body,
        right: rightOf(caller, null),
        meter: meterOf(ticket, request.log),
      };
    },
  });
