import { createCatalog } from '../catalog/catalog.js';
import { conflict, invalid } from '../lib/errors.js';
import { maxVersionDays, type Plan } from '../model/plan.js';
import type { AdminCommand, AdminGroup, CommandInput } from './command.js';

const limits = {
  'private-repositories': ['maxPrivateRepositories', 'Private repositories beyond Home'],
  'stored-bytes': ['maxStoredBytes', 'Bytes of all current versions'],
  rows: ['maxDatasetRows', 'Rows per dataset'],
  columns: ['maxColumns', 'Columns per dataset'],
  'upload-bytes': ['maxUploadBytes', 'Uncompressed bytes of one upload'],
  exports: ['maxExportsPerDay', 'Exports per day'],
  'export-bytes': ['maxExportBytesPerDay', 'Exported bytes per day'],
  versions: ['maxVersions', 'Versions of a dataset that are kept'],
  'version-days': ['maxVersionDays', `Days for which a replaced version is kept, at most ${maxVersionDays}`],
} as const satisfies Record<string, readonly [keyof Plan, string]>;

const rights = { 'paid-providers': 'paidProviders', 'private-home': 'privateHome' } as const;

const unlimited: Omit<Plan, 'name'> = {
  maxPrivateRepositories: null,
  maxStoredBytes: null,
  maxDatasetRows: null,
  maxColumns: null,
  maxUploadBytes: null,
  maxExportsPerDay: null,
  maxExportBytesPerDay: null,
  maxVersions: null,
  maxVersionDays: null,
  paidProviders: true,
  privateHome: true,
  downloads: 'all',
};

const limitOf = (text: string): number | null => {
  if (text === 'none') return null;
  if (!/^\d{1,15}$/.test(text)) throw invalid('usage', `${text} is neither a whole number nor none`);
  return Number(text);
};

const yesOrNo = (text: string): boolean => {
  if (text !== 'yes' && text !== 'no') throw invalid('usage', `${text} is neither yes nor no`);
  return text === 'yes';
};

const changes = (input: CommandInput): Partial<Plan> => {
  const found: [string, unknown][] = [];
  for (const [option, [field]] of Object.entries(limits)) {
    const text = input.option(option);
    if (text === undefined) continue;
    const limit = limitOf(text);
    if (field === 'maxVersionDays' && limit !== null && limit > maxVersionDays)
      throw invalid('usage', `--${option} is at most ${maxVersionDays}, or none`);
    found.push([field, limit]);
  }
  for (const [option, field] of Object.entries(rights)) {
    const text = input.option(option);
    if (text !== undefined) found.push([field, yesOrNo(text)]);
  }
  const downloads = input.option('downloads');
  if (downloads !== undefined) {
    if (downloads !== 'own' && downloads !== 'all') throw invalid('usage', 'downloads must be own or all');
    found.push(['downloads', downloads]);
  }
  return Object.fromEntries(found);
};

const limitOptions: AdminCommand['options'] = {
  ...Object.fromEntries(
    Object.entries(limits).map(([option, [, text]]) => [
      option,
      { type: 'string', help: `${text}, or none.` },
    ]),
  ),
  'paid-providers': { type: 'string', help: 'yes or no.' },
  'private-home': { type: 'string', help: 'yes or no.' },
  downloads: {
    type: 'string',
    help: 'own, or all: also private data that others share with the account; public data is for everybody.',
  },
};

/** `plan list|show|create|set` */
export const planCommands: AdminGroup = {
  name: 'plan',
  summary: 'Plans',
  commands: [
    {
      name: 'list',
      summary: 'List all plans.',
      run: ({ context }) => createCatalog(context).plans.list(),
    },
    {
      name: 'show',
      summary: 'Show a plan.',
      arguments: ['name'],
      run: (input) => createCatalog(input.context).plans.read(input.argument('name')),
    },
    {
      name: 'create',
      summary: 'Create a plan; limits that are left out do not apply.',
      arguments: ['name'],
      options: limitOptions,
      async run(input) {
        const { plans } = createCatalog(input.context);
        const name = input.argument('name');
        if ((await plans.list()).some((plan) => plan.name === name))
          throw conflict('name_taken', `A plan ${name} already exists.`);
        return plans.put({ ...unlimited, ...changes(input), name });
      },
    },
    {
      name: 'set',
      summary: 'Change limits of a plan; they apply to its accounts at once.',
      arguments: ['name'],
      options: limitOptions,
      async run(input) {
        const { plans } = createCatalog(input.context);
        const present = await plans.read(input.argument('name'));
        return plans.put({ ...present, ...changes(input) });
      },
    },
  ],
};
