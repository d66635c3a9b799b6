import type { BackupReport } from '../backup/backup.js';
import type { Manifest } from '../backup/manifest.js';
import type { RestoreReport } from '../backup/restore.js';
import type { VerificationReport } from '../ingest/repair/verification.js';
import { invalid } from '../lib/errors.js';
import type { AdminContext, AdminGroup, CommandInput } from './command.js';
import { wholeNumber } from './uploads.js';

export interface BackupCommands {
  openBackup(
    context: AdminContext,
    place: string,
  ): Promise<{ run(options: { keep?: number }): Promise<BackupReport> }>;
  openRestore(
    context: AdminContext,
    place: string,
  ): Promise<{ run(id?: string): Promise<RestoreReport>; check(id?: string): Promise<Manifest> }>;
  /** Compares both databases. */
  verify(context: AdminContext): Promise<VerificationReport>;
}

const placeOf = ({ option }: CommandInput, name: string): string => {
  const place = option(name);
  if (place === undefined || place === '')
    throw invalid('usage', `--${name} is missing: a folder, or s3://bucket/prefix`);
  return place;
};

const keepOf = ({ option }: CommandInput): { keep?: number } => {
  const text = option('keep');
  if (text === undefined) return {};
  const keep = wholeNumber(text, 'a number of backups');
  if (keep < 1) throw invalid('usage', '--keep is at least 1');
  return { keep };
};

const where = 'A folder, or s3://bucket/prefix with the S3_… settings.';

/** `backup`, `restore` */
export const createBackupCommands = ({ openBackup, openRestore, verify }: BackupCommands): AdminGroup[] => [
  {
    name: 'backup',
    summary: 'Backup',
    commands: [
      {
        name: '',
        audited: true,
        summary:
          'Back up PostgreSQL and ClickHouse as of this moment, while everything runs; later ones add what is new.',
        arguments: [],
        options: { to: { type: 'string' }, keep: { type: 'string' } },
        optionHelp: { to: where, keep: 'Backups that stay there, the newest ones; all when left out.' },
        async run(input) {
          const place = placeOf(input, 'to');
          const keep = keepOf(input);
          return (await openBackup(input.context, place)).run(keep);
        },
      },
    ],
  },
  {
    name: 'restore',
    summary: 'Restore',
    commands: [
      {
        name: '',
        summary:
          'Bring a backup back into an empty product; all of it is checked before anything is touched.',
        arguments: [],
        options: {
          from: { type: 'string' },
          backup: { type: 'string' },
          verify: { type: 'boolean' },
          check: { type: 'boolean' },
        },
        optionHelp: {
          from: where,
          backup: 'Id of the backup; the newest one when left out.',
          verify: 'Compare both databases afterwards, as `verify` does.',
          check: 'Read the whole backup and change nothing.',
        },
        async run(input) {
          const { context, option, flag } = input;
          const restore = await openRestore(context, placeOf(input, 'from'));
          const id = option('backup');
          if (flag('check')) {
            const { id: checked, takenAt, counts, catalog, segments } = await restore.check(id);
            return {
              id: checked,
              takenAt,
              ...counts,
              files: catalog.length + segments.length,
              check: 'whole',
            };
          }
          const report = await restore.run(id);
          if (!flag('verify')) return report;
          const verified = await verify(context);
          if (verified.left > 0) context.onFault?.();
          return { ...report, hashesCompared: verified.hashesCompared, faults: verified.faults };
        },
      },
    ],
  },
];
