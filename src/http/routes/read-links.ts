import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { type DatasetAccess, requireWritingKey } from '../../catalog/access.js';
import { bothTickets } from '../../catalog/export-ticket.js';
import type { Quotas } from '../../catalog/quotas.js';
import type { FoundReadLink, ReadLink, ReadLinks } from '../../catalog/read-links.js';
import type { StandingRight, StandingRights } from '../../catalog/standing-rights.js';
import { invalid, isAppError } from '../../lib/errors.js';
import type { Caller } from '../../model/permission.js';
import type { Downloads } from '../../query/download.js';
import { type Format, formats } from '../../query/formats/formats.js';
import { badOption } from '../../query/options/option.js';
import { type DownloadOptions, givenOptions, parseOptions } from '../../query/options/options.js';
import { pathId } from '../parameters.js';
import { created, noContentAfter, ok, type Route, route } from '../route.js';
import type { DataRequest } from './download-answer.js';
import type { AnswerDownload } from './download-handler.js';
import { downloadBody } from './download-schema.js';
import { nameField } from './fields.js';
import { linkEnded } from './links.js';
import { createdLinkSchema, linkBounds, linkExample, linkSchema } from './read-link-schema.js';

interface ReadLinkRoutesDeps {
  /** Finds a dataset that the caller may read. */
  readonly authorize: (caller: Caller | undefined, datasetId: number) => Promise<DatasetAccess>;
  readonly quotas: Pick<Quotas, 'requireDownload' | 'startExport'>;
  readonly readLinks: ReadLinks;
  /** The decision about the right behind a link, which is the same as for a request to the API. */
  readonly judge: StandingRights['judge'];
  readonly downloads: Pick<Downloads, 'plan'>;
  readonly answer: AnswerDownload;
  /** Address of the API as this client reaches it, such as `https://host/api`. */
  readonly apiUrl: (request: IncomingMessage) => string;
}

const tags = ['Read links'];
const shared = { tags, auth: 'required' } as const;

/** Longest question that is stored, in bytes. */
const mostQueryBytes = 64 * 1024;

/** The right of a link, for the checks while an answer is sent. */
const rightOfLink = ({ id, datasetId }: Pick<ReadLink, 'id' | 'datasetId'>): StandingRight => ({
  keyId: null,
  linkId: id,
  datasetId,
  need: 'Read',
  download: true,
});

interface SavedQuestion {
  readonly query: Readonly<Record<string, unknown>>;
  readonly options: DownloadOptions;
  readonly format: Format;
}

/** A question as it is stored: with its format, which no header of a reader changes. */
const savedQuestion = (given: Readonly<Record<string, unknown>>): SavedQuestion => {
  const options = parseOptions(given);
  if (options.pageSize !== undefined || options.skipToken !== undefined)
    throw badOption('$pagesize', 'is not for read links: they send all rows in one answer');
  const format = options.format ?? 'csv';
  const query = { ...givenOptions(given), $format: format };
  if (Buffer.byteLength(JSON.stringify(query)) > mostQueryBytes)
    throw invalid('too_complex', `The options are longer than ${mostQueryBytes} bytes.`);
  return { query, options, format };
};

const managing = (deps: ReadLinkRoutesDeps): Route[] => {
  const { authorize, quotas, readLinks, judge, downloads, apiUrl } = deps;

  const withRefusals = async (links: readonly ReadLink[]) => {
    const rights = await judge(links.map(rightOfLink));
    return links.map((link, index) => ({ ...link, refusedBecause: rights[index]?.ended?.message ?? null }));
  };

  return [
    route({
      method: 'POST',
      path: '/datasets/:id/read-links',
      operationId: 'createReadLink',
      summary: 'Save a question under a permanent address',
      description:
        'For tools that cannot send headers. The address needs no key and answers the question with the current version, or with the one that `versionId` or `asOf` names, as long as the account that made it may read the dataset. A link that is made with a key which is limited to some repositories ends with that key.',
      ...shared,
      readsDataset: true,
      permit: 'own',
      params: z.object({ id: pathId('Dataset') }),
      body: z.object({ name: nameField('What it is for.'), query: downloadBody.optional(), ...linkBounds }),
      bodyExample: { name: linkExample.name, query: linkExample.query },
      authorize: async ({ caller, params }) => {
        requireWritingKey(caller);
        const access = await authorize(caller, params.id);
        await quotas.requireDownload(caller, access);
        return access;
      },
      responses: {
        201: {
          description: 'The new link. No other answer shows its address.',
          schema: createdLinkSchema,
          example: { ...linkExample, url: 'https://host/api/links/tabr_A1b2C3d4….csv' },
        },
      },
      errors: [402, 403, 404, 409, 504],
      handler: async ({ access, body, caller, owner, signal, requestId, releasePermit, raw }) => {
        const { query = {}, ...link } = body;
        const saved = savedQuestion(query as Record<string, unknown>);
        const { options, format } = saved;
        // Refuses what could never be answered.
        await downloads.plan({
          dataset: access,
          options,
          format,
          owner,
          beforeAcquire: releasePermit,
          signal,
          requestId,
        });
        const { token, ...made } = await readLinks.create(caller, {
          ...link,
          datasetId: access.id,
          query: saved.query,
        });
        const url = `${apiUrl(raw)}/links/${token}.${formats[format].extension}`;
        return created({ ...made, refusedBecause: null, url });
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
      description: 'It stops working at once; answers that are being sent are broken off.',
      ...shared,
      params: z.object({ id: pathId('Id of the link.') }),
      responses: { 204: { description: 'Revoked.' } },
      errors: [403, 404],
      authorize: ({ caller }) => requireWritingKey(caller),
      handler: ({ caller, params }) => noContentAfter(readLinks.revoke(caller, params.id)),
    }),
  ];
};

/** The token of an address, which ends with the extension of the format for tools that look at it. */
const tokenOf = (segment: string): string => segment.replace(/\.\w+$/, '');

interface LinkAccess {
  readonly link: FoundReadLink;
  readonly caller: Caller | undefined;
  readonly dataset: DatasetAccess;
}

const reading = ({ authorize, quotas, readLinks, answer }: ReadLinkRoutesDeps): Route => {
  /** @throws AppError 403 or 404 when the account may not read the dataset any more. */
  const requireRight = async (link: FoundReadLink): Promise<LinkAccess> => {
    try {
      if (link.by.refused !== undefined) throw link.by.refused;
      const { caller } = link.by;
      const dataset = await authorize(caller, link.datasetId);
      await quotas.requireDownload(caller, dataset);
      return { link, caller, dataset };
    } catch (error) {
      const isRefusal =
        isAppError(error) && ['unauthenticated', 'forbidden', 'not_found'].includes(error.kind);
      throw isRefusal ? linkEnded(error) : error;
    }
  };

  return route({
    method: 'GET',
    path: '/links/:token',
    operationId: 'fetchReadLink',
    summary: 'Read the rows behind a read link',
    description:
      'Takes no key. Pages of every site may read it. `HEAD` and conditional requests are answered; each answer with rows counts as an export of the account that made the link.',
    tags,
    auth: 'none',
    permit: 'own',
    secretParams: ['token'],
    params: z.object({ token: z.string().max(200) }),
    requestHeaders: { 'If-None-Match': '`ETag` of an earlier response; 304 if it would be the same.' },
    authorize: async ({ params }) => requireRight(await readLinks.find(tokenOf(params.token))),
    responses: {
      200: {
        description: 'The rows, or their number with `$count`.',
        contentTypes: [...Object.values(formats).map(({ mediaType }) => mediaType), 'text/plain'],
      },
      304: { description: 'The client already has this response.' },
    },
    errors: [402, 403, 404, 504],
    handler: (request) => {
      const { link, caller, dataset } = request.access;
      const linked: DataRequest = {
        ...request,
        params: { id: dataset.id },
        caller,
        access: dataset,
        // The account that made the link shares its places among all readers.
        owner: `account:${caller?.accountId}`,
      };
      return answer(linked, {
        options: parseOptions(link.query),
        ifNoneMatch: request.header('if-none-match'),
        links: false,
        readLink: {
          right: rightOfLink(link),
          startRead: async () => bothTickets(await quotas.startExport(caller), readLinks.startRead(link)),
        },
      });
    },
  });
};

export const createReadLinkRoutes = (deps: ReadLinkRoutesDeps): Route[] => [...managing(deps), reading(deps)];
