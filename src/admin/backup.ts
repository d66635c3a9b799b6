import type { BackupReport } from '../backup/backup.js';
import type { Manifest } from '../backup/manifest.js';
import type { RestoreReport } from '../backup/restore.js';
import type { DatasetRestoreReport, WantedDataset } from '../backup/restore-dataset.js';
import { invalid } from '../lib/errors.js';
import type { VerificationReport } from '../versions/verify/verification.js';
import type { AdminContext, AdminGroup, CommandInput } from './command.js';
import { wholeNumber } from './whole-number.js';

interface BackupCommands {
  openBackup(
    context: AdminContext,
    place: string,
  ): Promise<{ run(options: { keep?: number }): Promise<BackupReport> }>;
  openRestore(
    context: AdminContext,
    place: string,
  ): Promise<{ run(id?: string): Promise<RestoreReport>; check(id?: string): Promise<Manifest> }>;
  /** Restores one dataset of a backup into the running product. */
  openDatasetRestore(
    context: AdminContext,
    place: string,
  ): Promise<{ run(wanted: WantedDataset): Promise<DatasetRestoreReport> }>;
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

/** Undefined: the whole backup. @throws AppError `usage` for options that exclude each other. */
const datasetOf = ({ option, flag }: CommandInput): WantedDataset | undefined => {
  const id = (name: string, of: string): number | undefined => {
    const text = option(name);
    return text === undefined ? undefined : wholeNumber(text, `the id of a ${of}`);
  };
  const dataset = id('dataset', 'dataset');
  const version = id('version', 'version');
  const into = id('into', 'repository');
  const name = option('name');
  if (dataset === undefined) {
    if (version !== undefined || into !== undefined || name !== undefined)
      throw invalid('usage', '--version, --into and --name belong to --dataset, which is missing');
    return undefined;
  }
  if (into === undefined)
    throw invalid('usage', '--into is missing: the id of the repository that gets the dataset');
  if (flag('check') || flag('verify'))
    throw invalid('usage', '--dataset is always checked and compared: leave out --check and --verify');
  return { dataset, version, into, name, backup: option('backup') };
};

const where = 'A folder, or s3://bucket/prefix with the S3_… settings.';

/** `backup`, `restore` */
export const createBackupCommands = ({
  openBackup,
  openRestore,
  openDatasetRestore,
  verify,
}: BackupCommands): AdminGroup[] => [
  {
    name: 'backup',
    summary: 'Backup',
    commands: [
      {
        name: '',
        audited: true,
        summary:
          'Back up PostgreSQL and ClickHouse as of this moment, while everything runs; later ones add what is new.',
        options: {
          to: { type: 'string', help: where },
          keep: { type: 'string', help: 'Backups that stay there, the newest ones; all when left out.' },
        },
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
          'Bring a backup back into an empty product, or one dataset of it into this one; it is checked before anything is touched.',
        options: {
          from: { type: 'string', help: where },
          backup: { type: 'string', help: 'Id of the backup; the newest one when left out.' },
          verify: { type: 'boolean', help: 'Compare both databases afterwards, as `verify` does.' },
          check: { type: 'boolean', help: 'Read the whole backup and change nothing.' },
          dataset: {
            type: 'string',
            help: 'Id of the one dataset to bring back, as a new one, next to all that there is.',
          },
          version: { type: 'string', help: 'Id of the one version of it; all when left out.' },
          into: { type: 'string', help: 'Id of the repository that gets the dataset.' },
          name: { type: 'string', help: 'Its name there; the name that it had when left out.' },
        },
        async run(input) {
          const { context, option, flag } = input;
          const wanted = datasetOf(input);
          if (wanted !== undefined)
            return (await openDatasetRestore(context, placeOf(input, 'from'))).run(wanted);
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
