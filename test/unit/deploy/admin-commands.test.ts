/** Admin commands in the documentation exist. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createAccountCommands } from '../../../src/admin/accounts.js';
import { createBackupCommands } from '../../../src/admin/backup.js';
import { consumingCommands } from '../../../src/admin/consuming.js';
import { createDeadLetterCommands } from '../../../src/admin/dead-letters.js';
import { jobCommands } from '../../../src/admin/jobs.js';
import { keyCommands } from '../../../src/admin/keys.js';
import { planCommands } from '../../../src/admin/plans.js';
import { createProviderCommands, createUserKeyCommands } from '../../../src/admin/providers.js';
import { runCommandLine } from '../../../src/admin/run.js';
import { createSweepCommands } from '../../../src/admin/sweep.js';
import { teamCommands } from '../../../src/admin/teams.js';
import { createUploadCommands } from '../../../src/admin/uploads.js';
import { createVerifyCommands } from '../../../src/admin/verify.js';
import { projectFile } from './compose-file.js';

const unused = (): never => {
  throw new Error('commands are only parsed here');
};

const groups = [
  createAccountCommands({ exportTo: unused, transfer: unused, remove: unused }),
  keyCommands,
  teamCommands,
  planCommands,
  createUserKeyCommands(unused),
  createProviderCommands(unused),
  createDeadLetterCommands(unused),
  createUploadCommands(unused),
  createVerifyCommands(unused),
  ...createBackupCommands({
    openBackup: unused,
    openRestore: unused,
    openDatasetRestore: unused,
    verify: unused,
  }),
  consumingCommands,
  jobCommands,
  createSweepCommands(unused),
];

class Parsed extends Error {}

/** Rejects with `Parsed` if the line is a valid command. */
const parse = (line: string): Promise<string> =>
  runCommandLine(groups, line.trim().split(/\s+/), async () => {
    throw new Parsed();
  });

const documents = [
  'README.md',
  ...readdirSync(new URL('../../../docs', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** Commands in shell blocks, with `<id>` replaced by a value and without the brackets of optional parts. */
const commandsIn = (text: string): string[] =>
  [...text.matchAll(/^```(?:sh|console)\n(.*?)^```/gms)]
    .flatMap(([, block = '']) => [...block.matchAll(/npm run admin -- ([^#\n]+)/g)])
    .map(([, line = '']) => line.replaceAll(/<[\w-]+>/g, '1').replaceAll(/[[\]]/g, ''));

const commands = documents.flatMap((path) => commandsIn(projectFile(path)).map((line) => ({ path, line })));

describe('documents name commands that exist', () => {
  it('with more than 15 of them in the pages for operators', () => {
    expect(commands.filter(({ path }) => path.startsWith('docs/operating/')).length).toBeGreaterThan(15);
  });

  it.each(commands)('$path: $line', async ({ line }) => {
    await expect(parse(line)).rejects.toBeInstanceOf(Parsed);
  });

  it.each(['uploads list', 'upload list --stock', 'upload show'])(
    'refuses the invalid command %s',
    async (line) => {
      await expect(parse(line)).rejects.not.toBeInstanceOf(Parsed);
    },
  );
});
