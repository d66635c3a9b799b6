import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { requireWritingKey } from '../../catalog/key-rights.js';
import type { ReadLink } from '../../catalog/read-link-records.js';
import type { StandingRights } from '../../catalog/standing-rights.js';
import { invalid } from '../../lib/errors.js';
import { chartRoles } from '../../query/chart/chart.js';
import type { Downloads } from '../../query/download.js';
import { type Format, formats } from '../../query/formats/formats.js';
import { badOption } from '../../query/options/option.js';
import { type DownloadOptions, givenOptions, parseOptions } from '../../query/options/options.js';
import { pathId } from '../parameters.js';
import { created, noContentAfter, ok, type Route, route } from '../route.js';
import { downloadBody } from './download-schema.js';
import { nameField } from './fields.js';
import {
  createReadLinkRoute,
  type ReadLinkAnswerDeps,
  requirePublic,
  rightOfLink,
} from './read-link-answer.js';
import { requireDrawable } from './read-link-chart.js';
import { chartBody, createdLinkSchema, linkBounds, linkExample, linkSchema } from './read-link-schema.js';

interface ReadLinkRoutesDeps extends ReadLinkAnswerDeps {
  /** Decides on the right of a link, as for a request to the API. */
  readonly judge: StandingRights['judge'];
  readonly downloads: Pick<Downloads, 'plan'>;
  /** Address of the API as this client reaches it, such as `https://host/api`. */
  readonly apiUrl: (request: IncomingMessage) => string;
}

const tags = ['Read links'];
const shared = { tags, auth: 'required' } as const;

/** Longest stored question, in bytes. */
const maxQueryBytes = 64 * 1024;

interface SavedQuestion {
  readonly query: Readonly<Record<string, unknown>>;
  readonly options: DownloadOptions;
  readonly format: Format;
}

/** A question as it is stored, with its format, so that headers of readers do not change it. */
const savedQuestion = (given: Readonly<Record<string, unknown>>, isChart: boolean): SavedQuestion => {
  const options = parseOptions(given);
  if (options.pageSize !== undefined || options.skipToken !== undefined)
    throw badOption('$pagesize', 'is not for read links: they send all rows in one answer');
  if (isChart) requireDrawable(options);
  const format = options.format ?? 'csv';
  const query = { ...givenOptions(given), $format: format };
  if (Buffer.byteLength(JSON.stringify(query)) > maxQueryBytes)
    throw invalid('too_complex', `The options are longer than ${maxQueryBytes} bytes.`);
  return { query, options, format };
};

const managing = (deps: ReadLinkRoutesDeps): Route[] => {
  const { findReadable, quotas, readLinks, judge, downloads, apiUrl } = deps;

  const withRefusals = async (links: readonly ReadLink[]) => {
    const rights = await judge(links.map(rightOfLink));
    return links.map((link, index) => {
      const ended = rights[index]?.ended;
      // The name may have changed since the account lost access, so it is not shown.
      const datasetName = ended?.code === 'no_permission' ? null : link.datasetName;
      return { ...link, datasetName, refusedBecause: ended?.message ?? null };
    });
  };

  return [
    route({
      method: 'POST',
      path: '/datasets/:id/read-links',
      operationId: 'createReadLink',
      summary: 'Save a question under a permanent address',
      description:
        'For tools that cannot send headers. The address needs no key and answers the question with the current version, or with the one that `versionId` or `asOf` names, as long as the account that made it may read the dataset. A link that is made with a key which is limited to some repositories ends with that key. With `chart` the answer is a picture (SVG) and a page for frames, as long as the dataset is public.',
      ...shared,
      readsDataset: true,
      permit: 'own',
      params: z.object({ id: pathId('Dataset') }),
      body: z.object({
        name: nameField('What it is for.'),
        query: downloadBody.optional(),
        chart: chartBody.optional(),
        ...linkBounds,
      }),
      bodyExample: { name: linkExample.name, query: linkExample.query },
      authorize: async ({ caller, params }) => {
        requireWritingKey(caller);
        const access = await findReadable(caller, params.id);
        await quotas.requireDownload(caller, access);
        return access;
      },
      responses: {
        201: {
          description: 'The new link. No other answer shows its address.',
          schema: createdLinkSchema,
          example: { ...linkExample, url: 'https://host/api/links/tabr_A1b2C3d4….csv', pageUrl: null },
        },
      },
      errors: [402, 403, 404, 409, 504],
      handler: async ({ access, body, caller, owner, signal, requestId, releasePermit, raw }) => {
        const { query = {}, chart: wanted, ...link } = body;
        const chart = wanted && { ...wanted, title: wanted.title ?? access.name };
        if (chart !== undefined) requirePublic(access);
        const saved = savedQuestion(query as Record<string, unknown>, chart !== undefined);
        const { options, format } = saved;
        // Refuses questions that can never be answered.
        const { output } = await downloads.plan({
          dataset: access,
          options,
          format,
          owner,
          beforeAcquire: releasePermit,
          signal,
          requestId,
        });
        if (chart !== undefined) chartRoles(output, chart.kind);
        const { token, ...made } = await readLinks.create(caller, {
          ...link,
          datasetId: access.id,
          query: saved.query,
          chart: chart ?? null,
        });
        const address = `${apiUrl(raw)}/links/${token}`;
        const urls =
          chart === undefined
            ? { url: `${address}.${formats[format].extension}`, pageUrl: null }
            : { url: `${address}.svg`, pageUrl: `${address}.html` };
        return created({ ...made, refusedBecause: null, ...urls });
      },
    }),
    route({
      method: 'GET',
      path: '/account/read-links',
      operationId: 'listReadLinks',
      summary: 'List the read links of the account',
      description: 'A key that is limited to some repositories sees the links that were made with it.',
      ...shared,
      responses: {
        200: { description: 'The links, oldest first.', schema: z.array(linkSchema), example: [linkExample] },
      },
      handler: async ({ caller }) => ok(await withRefusals(await readLinks.list(caller))),
    }),
    route({
      method: 'PATCH',
      path: '/account/read-links/:id',
      operationId: 'updateReadLink',
      summary: 'Rename a read link, or set its end and its quota',
      ...shared,
      params: z.object({ id: pathId('Id of the link.') }),
      body: z.object({ name: nameField('What it is for.').optional(), ...linkBounds }),
      bodyExample: { name: 'Dashboard', maxBytesPerDay: 1_000_000_000 },
      authorize: ({ caller }) => requireWritingKey(caller),
      responses: { 200: { description: 'The link.', schema: linkSchema, example: linkExample } },
      errors: [403, 404],
      handler: async ({ caller, params, body }) => {
        const [link] = await withRefusals([await readLinks.update(caller, params.id, body)]);
        return ok({ ...link });
      },
    }),
    route({
      method: 'DELETE',
      path: '/account/read-links/:id',
      operationId: 'revokeReadLink',
      summary: 'Revoke a read link',
      description: 'It stops working at once; answers that are being sent are aborted.',
      ...shared,
      params: z.object({ id: pathId('Id of the link.') }),
      responses: { 204: { description: 'Revoked.' } },
      errors: [403, 404],
      authorize: ({ caller }) => requireWritingKey(caller),
      handler: ({ caller, params }) => noContentAfter(readLinks.revoke(caller, params.id)),
    }),
  ];
};

export const createReadLinkRoutes = (deps: ReadLinkRoutesDeps): Route[] => [
  ...managing(deps),
  createReadLinkRoute(deps),
];
