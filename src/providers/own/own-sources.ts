import { isIP } from 'node:net';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { z } from 'zod';
import { invalid } from '../../lib/errors.js';
import { pick } from '../../lib/pick.js';
import { isPrivateAddress } from '../../lib/private-addresses.js';
import type { Provider } from '../provider.js';
import { sdmx21Options } from '../sdmx21/record.js';
import { createSdmx21 } from '../sdmx21/sdmx21.js';
import { createSdmx30 } from '../sdmx30/sdmx30.js';
import { createCsvSource } from './csv-source.js';
import { createJsonStatSource } from './json-stat-source.js';
import { type OwnRecord, ownRecord } from './record.js';

/** An error in the file. @param line From 1. */
const fault = (line: number, text: string) =>
  invalid('bad_configuration', `PROVIDERS_FILE, line ${line}: ${text}.`, { line });

/** Returns true for an address in a private network, or a host name without a domain. */
const isPrivate = ({ hostname }: URL): boolean => {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0) return isPrivateAddress(address);
  return !hostname.includes('.') || /\.(?:local|localhost|internal|lan|home\.arpa)\.?$/i.test(hostname);
};

/** Line of the node at a path, or of its nearest ancestor. */
const lineOf = (root: Node | null, path: readonly PropertyKey[], lines: LineCounter): number => {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === part);
      node = pair?.value;
      const key = pair?.key;
      offset = isScalar(key) ? (key.range?.[0] ?? offset) : offset;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      offset = (node as Node | undefined)?.range?.[0] ?? offset;
    } else break;
  }
  return lines.linePos(offset).line;
};

export const toProvider = (record: OwnRecord): Provider => {
  const { id: slug, limits, timeoutSeconds, keepSeconds, key, license, attribution, home } = record;
  const { maxConcurrent, resetZone, ...rate } = limits;
  const popularSeries = 'series' in record ? record.series : record.popularSeries;
  const base = {
    slug,
    name: record.name,
    provider: record.provider,
    description: record.description,
    popularSeries: popularSeries.map((one) => ({ id: one.id, label: one.label })),
    seriesIdPlaceholder: popularSeries[0]?.id ?? '',
    baseUrl: record.baseUrl,
    publicOnly: !record.allowPrivate,
    limits: {
      anonymous: key?.required === true ? undefined : rate,
      keyed: key && rate,
      maxConcurrent,
      resetZone,
    },
    validity: { structure: 86_400, list: 86_400, series: keepSeconds },
    timeoutMs: timeoutSeconds * 1000,
    key,
    license,
    attribution,
    home,
  };
  switch (record.kind) {
    case 'csv':
      return createCsvSource(base, record);
    case 'jsonstat':
      return createJsonStatSource(base, record);
    case 'sdmx30':
      return createSdmx30({
        ...base,
        ...sdmxOf(record),
        agencies: record.agencies,
        browseRootLabel: 'Agencies',
      });
    case 'sdmx21':
      return createSdmx21({
        ...base,
        ...sdmxOf(record),
        ...pick(record, Object.keys(sdmx21Options) as (keyof typeof sdmx21Options)[]),
        browseRootLabel: 'Dataflows',
      });
  }
};

/** Members that both versions of SDMX have. */
const sdmxOf = (record: Extract<OwnRecord, { kind: 'sdmx21' | 'sdmx30' }>) => {
  const { anonymousLimitMessage, patterns, listedFlows, structureKeepSeconds: keep } = record;
  const { structureTimeoutSeconds: seconds, maxReplyMegabytes: megabytes } = record;
  return {
    validity: { structure: keep, list: keep, series: record.keepSeconds },
    anonymousLimitMessage,
    patterns,
    listedFlows,
    structureTimeoutMs: seconds && seconds * 1000,
    maxReplyBytes: megabytes && megabytes * 1024 * 1024,
  };
};

/**
 * Parses own sources from the text of a YAML file, a list of records.
 * @param taken Slugs of other providers.
 * @throws AppError 400 with the line of the error
 */
export const readOwnSources = (text: string, taken: readonly string[]): Provider[] => {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const [broken] = document.errors;
  if (broken !== undefined)
    throw fault(lines.linePos(broken.pos[0]).line, broken.message.split('\n')[0] ?? '');
  const at = (...path: readonly PropertyKey[]): number => lineOf(document.contents, path, lines);
  const read = z.array(ownRecord).safeParse(document.toJS());
  if (!read.success) {
    const [issue] = read.error.issues;
    const path = issue?.path ?? [];
    const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
    throw fault(
      at(...path, ...unknown),
      `${path.slice(1).map(String).join('.') || 'the record'}: ${issue?.message ?? ''}`,
    );
  }
  const slugs = new Set(taken);
  for (const [place, record] of read.data.entries()) {
    if (slugs.has(record.id)) throw fault(at(place, 'id'), `there is a provider '${record.id}' already`);
    slugs.add(record.id);
    const url = new URL(record.baseUrl);
    if (!record.allowPrivate && (isPrivate(url) || url.protocol !== 'https:')) {
      throw fault(
        at(place, 'baseUrl'),
        `'${url.origin}' is private or without TLS; allow it by allowPrivate: true`,
      );
    }
  }
  return read.data.map(toProvider);
};
