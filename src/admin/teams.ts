import { createCatalog } from '../catalog/catalog.js';
import { createTeamAdministration } from '../catalog/team-administration.js';
import { invalid } from '../lib/errors.js';
import type { AdminGroup } from './command.js';

const roleOf = (text: string | undefined): 'admin' | 'member' => {
  if (text === undefined || text === 'member') return 'member';
  if (text === 'admin') return 'admin';
  throw invalid('usage', 'role must be admin or member');
};

/** `team list|show|create|delete|add|remove` */
export const teamCommands: AdminGroup = {
  name: 'team',
  summary: 'Teams',
  commands: [
    {
      name: 'list',
      summary: 'List all teams.',
      run: ({ context }) => createTeamAdministration(context).list(),
    },
    {
      name: 'create',
      summary: 'Create a team with its first admin.',
      arguments: ['team', 'account'],
      async run(input) {
        const administration = createTeamAdministration(input.context);
        const admin = await administration.actAs(input.argument('account'));
        return createCatalog(input.context).teams.create(admin, input.argument('team'));
      },
    },
    {
      name: 'delete',
      summary: 'Delete a team; its repositories stay with those who made them.',
      arguments: ['team'],
      async run(input) {
        const admin = await createTeamAdministration(input.context).actAsAdminOf(input.argument('team'));
        await createCatalog(input.context).teams.remove(admin, input.argument('team'));
        return undefined;
      },
    },
    {
      name: 'add',
      summary: 'Make an account a member of a team at once, without an invitation, or change its role.',
      arguments: ['team', 'account'],
      options: { role: { type: 'string', help: 'admin or member (default).' } },
      async run(input) {
        const role = roleOf(input.option('role'));
        const administration = createTeamAdministration(input.context);
        const team = input.argument('team');
        await administration.add(team, input.argument('account'), role);
        const admin = await administration.actAsAdminOf(team);
        return (await createCatalog(input.context).teams.read(admin, team)).members;
      },
    },
    {
      name: 'remove',
      summary: 'Remove an account from a team.',
      arguments: ['team', 'account'],
      async run(input) {
        const admin = await createTeamAdministration(input.context).actAsAdminOf(input.argument('team'));
        const { teams } = createCatalog(input.context);
        await teams.removeMember(admin, input.argument('team'), input.argument('account'));
        return undefined;
      },
    },
  ],
};
