import { z } from 'zod';
import { requireFullKey } from '../../catalog/access.js';
import type { Teams } from '../../catalog/teams.js';
import { pathName } from '../parameters.js';
import { created, noContent, ok, type Route, route } from '../route.js';
import { handleField, roleField, timeField } from './fields.js';

const teamSchema = z
  .object({
    name: z.string(),
    role: roleField.meta({ description: "The caller's role." }),
    createdAt: timeField,
    members: z.array(z.object({ account: z.string(), role: roleField })),
  })
  .meta({ id: 'Team' });

const example = {
  name: 'Analysts',
  role: 'admin',
  createdAt: '2026-01-31T12:00:00.000',
  members: [{ account: 'ada', role: 'admin' }],
};
const tags = ['Teams'];
const name = pathName('Name of the team.');
const account = pathName('Name of the account.');
const one = (description: string) => ({ description, schema: teamSchema, example });
const body = z.object({ name: handleField('Name; accounts and teams share one set of names.') });

const onTeams = (teams: Teams): Route[] => [
  route({
    method: 'GET',
    path: '/teams',
    summary: 'List the teams the caller is in',
    tags,
    auth: 'required',
    responses: { 200: { description: 'Teams by name.', schema: z.array(teamSchema), example: [example] } },
    handler: async ({ caller }) => ok(await teams.list(caller)),
  }),
  route({
    method: 'POST',
    path: '/teams',
    summary: 'Create a team',
    description: 'The caller becomes its admin.',
    tags,
    auth: 'required',
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
    summary: 'Read a team with its members',
    tags,
    auth: 'required',
    params: z.object({ name }),
    responses: { 200: one('The team.') },
    errors: [403, 404],
    handler: async ({ caller, params }) => ok(await teams.read(caller, params.name)),
  }),
  route({
    method: 'PUT',
    path: '/teams/:name',
    summary: 'Rename a team',
    description: 'By an admin of the team.',
    tags,
    auth: 'required',
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
    summary: 'Delete a team',
    description: 'By an admin of the team. Its repositories stay with those who made them.',
    tags,
    auth: 'required',
    params: z.object({ name }),
    responses: { 204: { description: 'Deleted.' } },
    errors: [403, 404],
    handler: async ({ caller, params }) => {
      await teams.remove(caller, params.name);
      return noContent;
    },
  }),
];

const onMembers = (teams: Teams): Route[] => [
  route({
    method: 'PUT',
    path: '/teams/:name/members/:account',
    summary: 'Add an account to a team or change its role',
    description: 'By an admin of the team.',
    tags,
    auth: 'required',
    params: z.object({ name, account }),
    body: z.object({ role: roleField }),
    bodyExample: { role: 'member' },
    authorize: ({ caller, params }) => teams.requireAdmin(caller, params.name),
    responses: { 200: one('The team.') },
    errors: [403, 404, 409],
    handler: async ({ caller, params, body: { role } }) =>
      ok(await teams.putMember(caller, params.name, params.account, role)),
  }),
  route({
    method: 'DELETE',
    path: '/teams/:name/members/:account',
    summary: 'Remove an account from a team',
    description: 'By an admin, or by the account itself. What the team gave is gone at once.',
    tags,
    auth: 'required',
    params: z.object({ name, account }),
    responses: { 204: { description: 'Removed.' } },
    errors: [403, 404, 409],
    handler: async ({ caller, params }) => {
      await teams.removeMember(caller, params.name, params.account);
      return noContent;
    },
  }),
];

export const createTeamRoutes = ({ teams }: { teams: Teams }): Route[] => [
  ...onTeams(teams),
  ...onTeam(teams),
  ...onMembers(teams),
];
