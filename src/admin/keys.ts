import { createCatalog } from '../catalog/catalog.js';
import { invalid } from '../lib/errors.js';
import { instantForm, parseInstant } from '../lib/instant.js';
import type { AdminGroup, CommandInput } from './command.js';
import { wholeNumber } from './whole-number.js';

const catalogOf = ({ context }: CommandInput) => createCatalog({ sql: context.sql });

const accountId = async (input: CommandInput): Promise<number> =>
  (await catalogOf(input).accounts.find(input.argument('account'))).id;

const idOf = (text: string): number => wholeNumber(text, 'an id');

const expiry = (text: string | undefined): Date | null => {
  if (text === undefined) return null;
  const instant = parseInstant(text);
  if (instant === undefined) throw invalid('usage', `--expires ${instantForm}; ${text} is neither`);
  return instant.start;
};

/** `key create|list|revoke` */
export const keyCommands: AdminGroup = {
  name: 'key',
  summary: 'API keys',
  commands: [
    {
      name: 'create',
      summary: 'Create an API key, which is shown only this once.',
      arguments: ['account'],
      options: {
        name: { type: 'string', help: 'What it is for.' },
        'read-only': { type: 'boolean', help: 'May only read.' },
        repository: {
          type: 'string',
          multiple: true,
          help: 'Id of a repository it is limited to; may be repeated.',
        },
        expires: {
          type: 'string',
          help: 'Day (its start) or time from which it is refused; UTC unless it has a zone.',
        },
      },
      async run(input) {
        const ids = input.options('repository').map(idOf);
        return catalogOf(input).keys.create(await accountId(input), {
          name: input.option('name') ?? 'made by an operator',
          readOnly: input.flag('read-only'),
          repositoryIds: ids.length === 0 ? null : ids,
          expiresAt: expiry(input.option('expires')),
        });
      },
    },
    {
      name: 'list',
      summary: 'List the keys of an account that were not revoked.',
      arguments: ['account'],
      run: async (input) => catalogOf(input).keys.list(await accountId(input)),
    },
    {
      name: 'revoke',
      summary: 'Revoke a key; it stops at once.',
      arguments: ['account', 'id'],
      async run(input) {
        await catalogOf(input).keys.revoke(await accountId(input), idOf(input.argument('id')));
        return undefined;
      },
    },
  ],
};
