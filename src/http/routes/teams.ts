import { z } from 'zod';
import { requireFullKey } from '../../catalog/key-rights.js';
import type { TeamInvitations } from '../../catalog/team-invitations.js';
import type { Teams } from '../../catalog/teams.js';
import { pathName } from '../parameters.js';
import { created, noContentAfter, ok, type Route, route } from '../route.js';
import { newHandleField, roleField, timeField } from './fields.js';

const memberSchema = z.object({ account: z.string(), role: roleField });
const teamSchema = z
  .object({
    name: z.string(),
    role: roleField.meta({ description: "The caller's role." }),
    createdAt: timeField,
    members: z.array(memberSchema),
    invitations: z.array(memberSchema).meta({
      description: 'Accounts that were invited and have not replied yet, with the role offered.',
    }),
  })
  .meta({ id: 'Team' });

const example = {
  name: 'Analysts',
  role: 'admin',
  createdAt: '2026-01-31T12:00:00.000',
  members: [{ account: 'ada', role: 'admin' }],
  invitations: [{ account: 'bob', role: 'member' }],
};
const shared = { tags: ['Teams'], auth: 'required' } as const;
const name = pathName('Name of the team.');
const account = pathName('Name of the account.');
const one = (description: string) => ({ description, schema: teamSchema, example });
const body = z.object({
  name: newHandleField(
    'Name. Accounts and teams share one namespace, in which names that look alike are the same.',
  ),
});

const onTeams = (teams: Teams): Route[] => [
  route({
    method: 'GET',
    path: '/teams',
    operationId: 'listTeams',
    summary: 'List the teams the caller is in',
    ...shared,
    responses: { 200: { description: 'Teams by name.', schema: z.array(teamSchema), example: [example] } },
    errors: [403],
    handler: async ({ caller }) => ok(await teams.list(caller)),
  }),
  route({
    method: 'POST',
    path: '/teams',
    operationId: 'createTeam',
    summary: 'Create a team',
    description: 'The caller becomes its admin.',
    ...shared,
    body,
    bodyExample: { name: 'Analysts' },
    authorize: ({ caller }) => requireFullKey(caller),
    responses: { 201: one('The new team.') },
    errors: [403, 409],
    handler: async (request) => created(await teams.create(request.caller, request.body.name)),
  }),
];

const onTeam = (teams: Teams): Route[] => [
  route({
    method: 'GET',
    path: '/teams/:name',
    operationId: 'getTeam',
    summary: 'Read a team with its members',
    ...shared,
    params: z.object({ name }),
    responses: { 200: one('The team.') },
    errors: [403, 404],
    handler: async ({ caller, params }) => ok(await teams.read(caller, params.name)),
  }),
  route({
    method: 'PUT',
    path: '/teams/:name',
    operationId: 'renameTeam',
    summary: 'Rename a team',
    description: 'By an admin of the team.',
    ...shared,
    params: z.object({ name }),
    body,
    bodyExample: { name: 'Analysts' },
    authorize: ({ caller, params }) => teams.requireAdmin(caller, params.name),
    responses: { 200: one('The team.') },
    errors: [403, 404, 409],
    handler: async (request) =>
      ok(await teams.rename(request.caller, request.params.name, request.body.name)),
  }),
  route({
    method: 'DELETE',
    path: '/teams/:name',
    operationId: 'deleteTeam',
    summary: 'Delete a team',
    description: 'By an admin of the team. Its repositories stay with those who created them.',
    ...shared,
    params: z.object({ name }),
    responses: { 204: { description: 'Deleted.' } },
    errors: [403, 404],
    handler: ({ caller, params }) => noContentAfter(teams.remove(caller, params.name)),
  }),
];

const onMembers = (teams: Teams): Route[] => [
  route({
    method: 'PUT',
    path: '/teams/:name/members/:account',
    operationId: 'setTeamMember',
    summary: 'Invite an account to a team, or change the role of a member',
    description:
      'By an admin of the team. An account that is not in the team is invited (202) and is in it once it has ' +
      'accepted: see `/account/invitations`.',
    ...shared,
    params: z.object({ name, account }),
    body: z.object({ role: roleField }),
    bodyExample: { role: 'member' },
    authorize: ({ caller, params }) => teams.requireAdmin(caller, params.name),
    responses: {
      200: one('The team: the member has this role.'),
      202: one('The team: the account is invited.'),
    },
    errors: [403, 404, 409],
    handler: async ({ caller, params, body: { role } }) => {
      const { team, invited } = await teams.putMember(caller, params.name, params.account, role);
      return { status: invited ? 202 : 200, body: team };
    },
  }),
  route({
    method: 'DELETE',
    path: '/teams/:name/members/:account',
    operationId: 'removeTeamMember',
    summary: 'Remove an account from a team',
    description:
      'By an admin, or by the account itself. Access through the team ends at once. Also withdraws an invitation.',
    ...shared,
    params: z.object({ name, account }),
    responses: { 204: { description: 'Removed.' } },
    errors: [403, 404, 409],
    handler: ({ caller, params }) => noContentAfter(teams.removeMember(caller, params.name, params.account)),
  }),
];

const invitationSchema = z
  .object({
    team: z.string().meta({ description: 'Name of the team.' }),
    role: roleField.meta({ description: 'Role that the caller will have.' }),
    invitedBy: z
      .string()
      .nullable()
      .meta({ description: 'Account that sent the invitation; null when it no longer exists.' }),
    createdAt: timeField,
  })
  .meta({ id: 'Invitation' });

const invitationExample = {
  team: 'Analysts',
  role: 'member',
  invitedBy: 'ada',
  createdAt: '2026-01-31T12:00:00.000',
};

const onInvitations = ({ teams, invitations }: TeamRoutesDeps): Route[] => [
  route({
    method: 'GET',
    path: '/account/invitations',
    operationId: 'listInvitations',
    summary: 'List the invitations of the caller to teams',
    ...shared,
    responses: {
      200: {
        description: 'Invitations that wait for an answer, oldest first.',
        schema: z.array(invitationSchema),
        example: [invitationExample],
      },
    },
    errors: [403],
    handler: async ({ caller }) => ok(await invitations.list(caller)),
  }),
  route({
    method: 'PUT',
    path: '/account/invitations/:team',
    operationId: 'acceptInvitation',
    summary: 'Accept an invitation to a team',
    ...shared,
    params: z.object({ team: name }),
    responses: { 200: one('The team; the caller is now a member.') },
    errors: [403, 404, 409],
    handler: async ({ caller, params }) => ok(await teams.join(caller, params.team)),
  }),
  route({
    method: 'DELETE',
    path: '/account/invitations/:team',
    operationId: 'declineInvitation',
    summary: 'Decline an invitation to a team',
    ...shared,
    params: z.object({ team: name }),
    responses: { 204: { description: 'Declined.' } },
    errors: [403, 404],
    handler: ({ caller, params }) => noContentAfter(invitations.decline(caller, params.team)),
  }),
];

interface TeamRoutesDeps {
  readonly teams: Teams;
  readonly invitations: TeamInvitations;
}

export const createTeamRoutes = (deps: TeamRoutesDeps): Route[] => [
  ...onTeams(deps.teams),
  ...onTeam(deps.teams),
  ...onMembers(deps.teams),
  ...onInvitations(deps),
];
