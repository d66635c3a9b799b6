import { createCatalog } from '../catalog/catalog.js';
import type { AdminGroup, CommandInput } from './command.js';

const catalogOf = ({ context }: CommandInput) => createCatalog({ sql: context.sql });

const nameOf = (input: CommandInput): string => input.argument('name');

/** `account create|list|show|set|disable|enable` */
export const accountCommands: AdminGroup = {
  name: 'account',
  summary: 'Accounts',
  commands: [
    {
      name: 'create',
      summary: 'Create an account with its Home and a first key, which is shown only this once.',
      arguments: ['name'],
      options: { plan: { type: 'string' }, operator: { type: 'boolean' } },
      optionHelp: { plan: 'Name of its plan; DEFAULT_PLAN when left out.', operator: 'May use operations.' },
      async run(input) {
        const catalog = catalogOf(input);
        const account = await catalog.accounts.create({
          name: input.argument('name'),
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
      arguments: [],
      run: (input) => catalogOf(input).accounts.list(),
    },
    {
      name: 'show',
      summary: 'Show an account and what it uses.',
      arguments: ['name'],
      async run(input) {
        const catalog = catalogOf(input);
        const account = await catalog.accounts.find(input.argument('name'));
        return { ...account, used: await catalog.quotas.use(account.id) };
      },
    },
    {
      name: 'set',
      summary: 'Change the plan of an account, or whether it is an operator.',
      arguments: ['name'],
      options: {
        plan: { type: 'string' },
        operator: { type: 'boolean' },
        'no-operator': { type: 'boolean' },
      },
      optionHelp: {
        plan: 'Name of a plan.',
        operator: 'May use operations.',
        'no-operator': 'May no longer use operations.',
      },
      run(input) {
        const plan = input.option('plan');
        const isOperator = input.flag('operator') ? true : input.flag('no-operator') ? false : undefined;
        return catalogOf(input).accounts.administer(input.argument('name'), {
          ...(plan === undefined ? {} : { plan }),
          ...(isOperator === undefined ? {} : { isOperator }),
        });
      },
    },
    {
      name: 'disable',
      summary: 'Keep an account from doing anything: its keys and sessions stop at once; what it has stays.',
      arguments: ['name'],
      run: (input) => catalogOf(input).accounts.setDisabled(nameOf(input), true),
    },
    {
      name: 'enable',
      summary: 'Let a disabled account go on, with the keys that it had.',
      arguments: ['name'],
      run: (input) => catalogOf(input).accounts.setDisabled(nameOf(input), false),
    },
  ],
};
