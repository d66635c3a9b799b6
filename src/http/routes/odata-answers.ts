/** Answers of an OData service: documents, pages of rows, one row, a count. */
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Quotas } from '../../catalog/quotas.js';
import { invalid, notFound } from '../../lib/errors.js';
import { type DescribedSet, metadataJson, metadataXml, serviceDocument } from '../../odata/metadata.js';
import {
  downloadOptions,
  maxPageSizeOf,
  metadataLevel,
  type Resource,
  requireFormat,
  requireVersion,
  wantsNumbersAsText,
} from '../../odata/options.js';
import { asEntities, type EntityOptions, entityContext, frameEntity, framePage } from '../../odata/rows.js';
import { appliedProperties, keyColumn, propertiesOf } from '../../odata/view.js';
import type { Downloads } from '../../query/download.js';
import type { DownloadRequest } from '../../query/download-request.js';
import type { Plan } from '../../query/plan.js';
import type { Versions } from '../../query/versions.js';
import { encoded } from '../content/coding.js';
import { chooseCoding } from '../content/negotiation.js';
import type { Reply } from '../route.js';
import { meterOf, rightToRead, startExport } from './download-answer.js';
import {
  headersOf,
  jsonType,
  type ODataRequest,
  type ODataService,
  type RowQuery,
  type ServedSet,
} from './odata-schema.js';

export interface ODataAnswersDeps {
  readonly quotas: Pick<Quotas, 'startExport'>;
  /** Versions with the names of columns as users set them. */
  readonly versions: Pick<Versions, 'find' | 'remembered'>;
  /** Downloads of versions in the form of `createODataVersions`. */
  readonly downloads: Downloads;
}

/** Answers a request for a resource of a service. */
export type AnswerOData = (
  request: ODataRequest,
  service: ODataService,
  resource: Resource,
) => Promise<Reply>;

/** Maximum columns of all sets of a service together. */
const maxProperties = 20_000;

const wantsJson = (format: string | undefined, accept = ''): boolean =>
  format === undefined ? /json/i.test(accept) && !/xml/i.test(accept) : /json/i.test(format);

/** @throws AppError 400 for options that choose, order or page rows, since they do not apply to a single row. */
const requireEntityOptions = (query: RowQuery): void => {
  const { $select: _select, $format: _format, ...others } = query;
  const [name] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined)
    throw invalid('bad_option', `${name}: one row takes $select and $format alone.`, {
      option: name.slice(1),
    });
};

/** Characters per chunk. */
const chunkLength = 64 * 1024;

/** Joins pieces of a text to chunks, and lets other work run between chunks. */
async function* inChunks(pieces: Iterable<string>): AsyncGenerator<Buffer, void> {
  let chunk = '';
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length < chunkLength) continue;
    yield Buffer.from(chunk);
    chunk = '';
    await setImmediate();
  }
  if (chunk !== '') yield Buffer.from(chunk);
}

/** A request for rows of a set, or for one of them if there is a key. */
interface RowsWanted {
  readonly service: ODataService;
  readonly set: ServedSet;
  readonly key?: string | undefined;
}

const nextLinkOf = (request: ODataRequest, { service, set }: RowsWanted, token: string): string => {
  const query = request.url.replace(/^[^?]*\??/, '').split('&');
  const others = query.filter((item) => item !== '' && !/^(\$|%24)skiptoken=/i.test(item));
  return `${service.root}/${encodeURIComponent(set.name)}?${[...others, `$skiptoken=${token}`].join('&')}`;
};

/** The download for a request for rows, and the format of its answer. */
const downloadOf = (
  request: ODataRequest,
  { service, set, key }: RowsWanted,
): { download: DownloadRequest; entity: EntityOptions } => {
  const { owner, query, signal, requestId } = request;
  const { $count: _count, $format, ...system } = query;
  const { options, selects } = downloadOptions(system, maxPageSizeOf(request.header('prefer')));
  const accept = request.header('accept');
  const entity: EntityOptions = {
    level: metadataLevel($format, accept),
    numbersAsText: wantsNumbersAsText($format, accept),
    root: service.root,
    set: set.name,
    type: set.type,
    selects,
    key,
  };
  return {
    download: {
      dataset: set.dataset,
      options,
      format: 'json',
      owner,
      beforeAcquire: request.releasePermit,
      // `$metadata` declares long numbers as texts.
      filterLimits: { numbersInQuotes: true },
      filterKey: keyColumn,
      renameApplied: appliedProperties,
      adapt: (plan: Plan): Plan => asEntities(plan, entity),
      signal,
      requestId,
    },
    entity,
  };
};

export const createODataAnswers = ({ quotas, versions, downloads }: ODataAnswersDeps): AnswerOData => {
  const describedSet = async ({ dataset, name, type, title }: ServedSet): Promise<DescribedSet> => {
    const { id, currentVersionId, columnsRevision } = dataset;
    const remembered =
      currentVersionId === null ? undefined : versions.remembered(id, currentVersionId, columnsRevision);
    const { columns } = remembered ?? (await versions.find({ datasetId: id, currentVersionId }));
    return { name, type, title, properties: propertiesOf(columns) };
  };

  const metadata = async (request: ODataRequest, service: ODataService): Promise<Reply> => {
    const sets: DescribedSet[] = [];
    let properties = 0;
    for (const set of await service.sets()) {
      const described = await describedSet(set);
      properties += described.properties.length;
      if (properties > maxProperties)
        throw invalid(
          'too_many_columns',
          `The datasets of this service have more than ${maxProperties} columns together; open each by itself, at /odata/datasets/{id}.`,
          { limit: maxProperties },
        );
      sets.push(described);
    }
    const isJson = wantsJson(request.query.$format, request.header('accept'));
    return {
      status: 200,
      headers: headersOf(isJson ? 'application/json' : 'application/xml'),
      body: Readable.from(inChunks(isJson ? metadataJson(sets) : metadataXml(sets)), { objectMode: false }),
    };
  };

  const document = async (request: ODataRequest, service: ODataService): Promise<Reply> => {
    const level = metadataLevel(request.query.$format, request.header('accept'));
    const body = serviceDocument(service.root, await service.sets(), level !== 'none');
    return { status: 200, headers: headersOf(jsonType(level)), body };
  };

  const bodyOf = async (
    request: ODataRequest,
    wanted: RowsWanted,
    { download, entity }: ReturnType<typeof downloadOf>,
  ): Promise<Readable> => {
    const { key, level, numbersAsText, set } = entity;
    const plan = await downloads.plan(download);
    const context = level === 'none' ? undefined : entityContext(plan, entity);
    const counts = key !== undefined || request.query.$count === true;
    const count = counts ? await downloads.count(plan, download) : undefined;
    if (key !== undefined && count === 0)
      throw notFound('unknown_row', `${set} has no row with the key ${key}.`);
    if (request.method === 'HEAD') return Readable.from([]);
    const { body, next } = await downloads.open(plan, download);
    if (key !== undefined) return frameEntity(body, context);
    return framePage(body, {
      context,
      count: numbersAsText && count !== undefined ? String(count) : count,
      nextLink: next === undefined ? undefined : nextLinkOf(request, wanted, next),
    });
  };

  const rows = async (request: ODataRequest, wanted: RowsWanted): Promise<Reply> => {
    if (wanted.key !== undefined) requireEntityOptions(request.query);
    const wantedDownload = downloadOf(request, wanted);
    const { top, pageSize } = wantedDownload.download.options;
    const ticket = await startExport(quotas, request.caller, top ?? pageSize);
    try {
      const body = await bodyOf(request, wanted, wantedDownload);
      const coding = chooseCoding(request.header('accept-encoding'));
      const preferred = maxPageSizeOf(request.header('prefer'));
      return {
        status: 200,
        headers: {
          ...headersOf(jsonType(wantedDownload.entity.level, wantedDownload.entity.numbersAsText)),
          ...(coding === 'identity' ? {} : { 'Content-Encoding': coding }),
          ...(preferred === undefined ? {} : { 'Preference-Applied': `odata.maxpagesize=${pageSize}` }),
        },
        body: encoded(body, coding),
        right: rightToRead(request.caller, wanted.set.dataset.id),
        meter: meterOf(ticket, request.log),
      };
    } catch (error) {
      await ticket.cancel();
      throw error;
    }
  };

  const count = async (request: ODataRequest, wanted: RowsWanted): Promise<Reply> => {
    const { download } = downloadOf(request, wanted);
    const number = await downloads.count(await downloads.plan(download), download);
    return { status: 200, headers: headersOf('text/plain; charset=utf-8'), body: String(number) };
  };

  return async (request, service, resource) => {
    requireVersion(request.header('odata-maxversion'));
    requireFormat(request.query.$format, resource.kind);
    switch (resource.kind) {
      case 'document':
        return document(request, service);
      case 'metadata':
        return metadata(request, service);
      case 'count':
        return count(request, { service, set: await service.set(resource.set) });
      case 'rows':
        return rows(request, { service, set: await service.set(resource.set) });
      case 'row':
        return rows(request, { service, set: await service.set(resource.set), key: resource.key });
      default:
        return resource satisfies never;
    }
  };
};
