import { createCatalog } from '../catalog/catalog.js';
import { invalid } from '../lib/errors.js';
import type { AdminContext, AdminGroup, CommandInput } from './command.js';

const catalogOf = ({ context }: CommandInput) => createCatalog({ sql: context.sql });

const nameOf = (input: CommandInput): string => input.argument('name');

interface AccountActions {
  /** Writes all data of an account to a file. */
  exportTo(
    context: AdminContext,
    name: string,
    options: { readonly to: string; readonly versions: 'current' | 'all' },
  ): Promise<object>;
  transfer(context: AdminContext, from: string, to: string): Promise<object>;
  /** Returns what is left of it, by place; all zero if nothing is. */
  remove(context: AdminContext, name: string): Promise<readonly { readonly left: number }[]>;
}

const versionsOf = (text: string | undefined): 'current' | 'all' => {
  if (text === undefined || text === 'current') return 'current';
  if (text === 'all') return 'all';
  throw invalid('usage', '--versions is current or all');
};

/** `account create|list|show|set|disable|enable|export|transfer|delete` */
export const createAccountCommands = (actions: AccountActions): AdminGroup => ({
  name: 'account',
  summary: 'Accounts',
  commands: [
    {
      name: 'create',
      summary: 'Create an account with its Home and a first key, which is shown only this once.',
      arguments: ['name'],
      options: {
        plan: { type: 'string', help: 'Name of its plan; DEFAULT_PLAN when left out.' },
        operator: { type: 'boolean', help: 'May use operations.' },
      },
      async run(input) {
        const catalog = catalogOf(input);
        const account = await catalog.accounts.create({
          name: nameOf(input),
          plan: input.option('plan') ?? input.context.config.defaultPlan,
          isOperator: input.flag('operator'),
        });
        const { key } = await catalog.keys.create(account.id, { name: 'first key' });
        return { ...account, key };
      },
    },
    {
      name: 'list',
      summary: 'List all accounts.',
      run: (input) => catalogOf(input).accounts.list(),
    },
    {
      name: 'show',
      summary: 'Show an account and what it uses.',
      arguments: ['name'],
      async run(input) {
        const catalog = catalogOf(input);
        const account = await catalog.accounts.find(nameOf(input));
        return { ...account, used: await catalog.quotas.use(account.id) };
      },
    },
    {
      name: 'set',
      summary: 'Change the plan of an account, or whether it is an operator.',
      arguments: ['name'],
      options: {
        plan: { type: 'string', help: 'Name of a plan.' },
        operator: { type: 'boolean', help: 'May use operations.' },
        'no-operator': { type: 'boolean', help: 'May no longer use operations.' },
      },
      run(input) {
        const plan = input.option('plan');
        const isOperator = input.flag('operator') ? true : input.flag('no-operator') ? false : undefined;
        return catalogOf(input).accounts.administer(nameOf(input), {
          ...(plan === undefined ? {} : { plan }),
          ...(isOperator === undefined ? {} : { isOperator }),
        });
      },
    },
    {
      name: 'disable',
      summary: 'Disable an account: its keys and sessions stop working at once; its data stays.',
      arguments: ['name'],
      run: (input) => catalogOf(input).accounts.setDisabled(nameOf(input), true),
    },
    {
      name: 'enable',
      summary: 'Enable a disabled account again, with its previous keys.',
      arguments: ['name'],
      run: (input) => catalogOf(input).accounts.setDisabled(nameOf(input), false),
    },
    {
      name: 'export',
      summary: 'Write all data of an account into a ZIP: metadata as JSON, rows as CSV.',
      arguments: ['name'],
      options: {
        to: { type: 'string', help: 'The file to write.' },
        versions: { type: 'string', help: 'current (default), or all: rows of which versions.' },
      },
      run(input) {
        const to = input.option('to');
        if (to === undefined || to === '') throw invalid('usage', '--to is missing: the file to write');
        const versions = versionsOf(input.option('versions'));
        return actions.exportTo(input.context, nameOf(input), { to, versions });
      },
    },
    {
      name: 'transfer',
      summary: 'Give all repositories of an account, with everything in them, to another one.',
      arguments: ['name'],
      options: { to: { type: 'string', help: 'Name of the account that gets them.' } },
      run(input) {
        const to = input.option('to');
        if (to === undefined)
          throw invalid('usage', '--to is missing: the name of the account that gets everything');
        return actions.transfer(input.context, nameOf(input), to);
      },
    },
    {
      name: 'delete',
      summary: 'Delete an account with all that it has, and show that nothing is left.',
      arguments: ['name'],
      options: {
        confirm: { type: 'string', help: 'The name once more. The deletion cannot be undone.' },
      },
      async run(input) {
        const name = nameOf(input);
        if (input.option('confirm') !== name)
          throw invalid('usage', `This cannot be undone; pass --confirm ${name} to confirm.`);
        const remainders = await actions.remove(input.context, name);
        if (remainders.some(({ left }) => left > 0)) input.context.onFault?.();
        return remainders;
      },
    },
  ],
});
