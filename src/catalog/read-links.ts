/**
 * Read links: addresses that answer one saved question, for tools that cannot send headers. The token in the address is the credential; it
 * grants what the account that made the link may read at that moment.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { AppError, forbidden, invalid, notFound } from '../lib/errors.js';
import { isoUtc } from '../lib/time.js';
import type { Caller } from '../model/permission.js';
import { recordAudit } from '../storage/postgres/audit.js';
import type { Sql } from '../storage/postgres/sql.js';
import { type FoundCaller, foundCaller } from './authenticator.js';
import { type ExportTicket, stepOf } from './export-ticket.js';
import { requireName } from './names.js';
import {
  addLinkUse,
  deleteLink,
  type FoundRow,
  findLink,
  insertLink,
  type LinkChart,
  listLinks,
  noteLinkUse,
  type ReadLink,
  type ShownRow,
  updateLink,
} from './read-link-records.js';
import { tooMany } from './row-limits.js';

interface CreatedReadLink extends ReadLink {
  /** Returned only once. */
  readonly token: string;
}

interface LinkBounds {
  readonly expiresAt?: Date | null | undefined;
  readonly maxBytesPerDay?: number | null | undefined;
}

interface NewReadLink extends LinkBounds {
  readonly name: string;
  readonly datasetId: number;
  readonly query: Readonly<Record<string, unknown>>;
  readonly chart: LinkChart | null;
}

interface LinkChange extends LinkBounds {
  readonly name?: string | undefined;
}

/** A link, found by its token. */
export interface FoundReadLink {
  readonly id: number;
  readonly datasetId: number;
  readonly query: Readonly<Record<string, unknown>>;
  readonly chart: LinkChart | null;
  /** Bytes that it may still send today; null: no limit. */
  readonly left: number | null;
  /** The account of the link, with the limits of its key if it has one. */
  readonly by: FoundCaller;
}

export interface ReadLinks {
  /** @throws AppError 400 for an invalid name or an expiry in the past, 409 for more links than an account may have. */
  create(caller: Caller, link: NewReadLink): Promise<CreatedReadLink>;
  /** Links of the account; for a key that is limited to some repositories, its own links. */
  list(caller: Caller): Promise<ReadLink[]>;
  /** @throws AppError 400 as for a new one, 404. */
  update(caller: Caller, id: number, change: LinkChange): Promise<ReadLink>;
  /** Ends the link at once, in every process. @throws AppError 404. */
  revoke(caller: Caller, id: number): Promise<void>;
  /** @throws AppError 403 for a token without a link or of an expired one, 402 if its bytes of the day are used up. */
  find(token: string): Promise<FoundReadLink>;
  /**
   * Counts an answer of a link; if the link has a quota, its first bytes are counted before they are sent. The answer that reaches the
   * quota of the day may finish; later ones are refused, and others are aborted.
   * @param isPart True for ranges of a file whose read was counted already: only their bytes are added.
   */
  startRead(link: Pick<FoundReadLink, 'id' | 'left'>, isPart?: boolean): ExportTicket;
}

const marker = 'tabr_';
const prefixLength = marker.length + 8;

const hashOf = (token: string): Buffer => createHash('sha256').update(token, 'utf8').digest();

export const linkInvalid = (): AppError =>
  forbidden('link_invalid', 'The link is not valid: it was changed, was revoked or has expired.');

const bytesUsedUp = (limit: number, used: number): AppError =>
  new AppError(
    'quota',
    'link_quota_exceeded',
    `The link may send ${limit} bytes a day; ${used} were sent. It works again tomorrow (UTC).`,
    { details: { limit, used } },
  );

// It was written by `create`, so it has this type.
const queryOf = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;
const chartOf = (text: string | null): LinkChart | null =>
  text === null ? null : (JSON.parse(text) as LinkChart);

const shown = (row: ShownRow): ReadLink => ({
  ...row,
  query: queryOf(row.query),
  chart: chartOf(row.chart),
  createdAt: isoUtc(row.createdAt),
  expiresAt: row.expiresAt && isoUtc(row.expiresAt),
  lastUsedAt: row.lastUsedAt && isoUtc(row.lastUsedAt),
});

const requireFuture = (expiresAt: Date | null | undefined): void => {
  if (expiresAt != null && expiresAt.getTime() <= Date.now())
    throw invalid('expired', 'expiresAt must be in the future.');
};

/** The key of a caller if it is limited to some repositories, since its links have the same limits. */
const limitingKey = ({ key }: Caller): number | null => (key.repositoryIds === null ? null : key.id);

const seenBy = (caller: Caller) => ({ accountId: caller.accountId, keyId: limitingKey(caller) });

const record = (
  tx: Sql,
  action: 'link.create' | 'link.revoke' | 'link.update',
  link: ShownRow,
  more: Record<string, unknown>,
) => {
  const { id, name, prefix, datasetId, keyId } = link;
  const details = { prefix, datasetId, ...(keyId === null ? {} : { keyId }), ...more };
  return recordAudit(tx, { action, target: { kind: 'link', id, name }, details });
};

const boundsOf = ({ expiresAt, maxBytesPerDay }: ShownRow) => ({ expiresAt, maxBytesPerDay });

const createTicket = (
  sql: Sql,
  { id, left }: Pick<FoundReadLink, 'id' | 'left'>,
  isPart: boolean,
): ExportTicket => {
  const read = randomUUID();
  const step = stepOf(left);
  const countedBefore = isPart ? 1 : 0;
  let added = 0;
  let counted = countedBefore;
  const add = async (bytesSent: number): Promise<void> => {
    const bytes = bytesSent - added;
    // Updated at once, since the answer may end while the statement runs.
    added = bytesSent;
    const reads = 1 - counted;
    counted = 1;
    try {
      type Row = { limit: number; used: number; isAllowed: boolean };
      const [row] = await sql.query<Row>(addLinkUse, [id, bytes, reads, read]);
      if (row !== undefined && !row.isAllowed) throw bytesUsedUp(row.limit, row.used);
    } catch (error) {
      if (error instanceof AppError) throw error;
      added -= bytes;
      counted -= reads;
      throw error;
    }
  };
  return {
    ...(left === null ? {} : { ahead: add }),
    spend: (bytesSent) => (bytesSent - added < step ? undefined : add(bytesSent)),
    async finish(bytesSent) {
      try {
        await add(bytesSent);
      } catch (error) {
        // The answer was already sent.
        if (!(error instanceof AppError)) throw error;
      }
    },
    async cancel() {
      if (added > 0) await sql.query(addLinkUse, [id, -added, countedBefore - counted, read]);
    },
  };
};

export const createReadLinks = ({ sql }: { sql: Sql }): ReadLinks => ({
  async create(caller, { name, datasetId, query, chart, expiresAt = null, maxBytesPerDay = null }) {
    requireName(name);
    requireFuture(expiresAt);
    const token = marker + randomBytes(32).toString('base64url');
    const values = {
      ...seenBy(caller),
      datasetId,
      name,
      prefix: token.slice(0, prefixLength),
      hash: hashOf(token),
      query: JSON.stringify(query),
      chart: chart && JSON.stringify(chart),
      expiresAt,
      maxBytesPerDay,
    };
    return sql.tx(async (tx) => {
      const [row] = await tx.query<ShownRow>(insertLink, insertLink.values(values));
      if (row === undefined) throw tooMany('links', 'An account');
      await record(tx, 'link.create', row, boundsOf(row));
      return { ...shown(row), token };
    });
  },

  async list(caller) {
    return (await sql.query<ShownRow>(listLinks, listLinks.values(seenBy(caller)))).map(shown);
  },

  async update(caller, id, { name, expiresAt, maxBytesPerDay }) {
    if (name !== undefined) requireName(name);
    requireFuture(expiresAt);
    const values = {
      ...seenBy(caller),
      id,
      name,
      setsExpiry: expiresAt !== undefined,
      expiresAt,
      setsBytes: maxBytesPerDay !== undefined,
      maxBytesPerDay,
    };
    return sql.tx(async (tx) => {
      const [row] = await tx.query<ShownRow>(updateLink, updateLink.values(values));
      if (row === undefined) throw notFound('link_not_found', `You have no read link ${id}.`);
      await record(tx, 'link.update', row, boundsOf(row));
      return shown(row);
    });
  },

  async revoke(caller, id) {
    await sql.tx(async (tx) => {
      const [row] = await tx.query<ShownRow>(deleteLink, deleteLink.values({ ...seenBy(caller), id }));
      if (row === undefined) throw notFound('link_not_found', `You have no read link ${id}.`);
      await record(tx, 'link.revoke', row, { reads: row.reads, bytes: row.bytes });
    });
  },

  async find(token) {
    const [row] = await sql.query<FoundRow>(findLink, [hashOf(token)]);
    if (row === undefined || row.keyId === null) throw linkInvalid();
    const { linkId: id, datasetId, query, chart, maxBytesPerDay, bytesToday } = row;
    const left = maxBytesPerDay === null ? null : maxBytesPerDay - bytesToday;
    if (maxBytesPerDay !== null && bytesToday >= maxBytesPerDay)
      throw bytesUsedUp(maxBytesPerDay, bytesToday);
    if (row.usedLongAgo) await sql.query(noteLinkUse, [id]);
    return { id, datasetId, query: queryOf(query), chart: chartOf(chart), left, by: foundCaller(row) };
  },

  startRead: (link, isPart = false) => createTicket(sql, link, isPart),
});
