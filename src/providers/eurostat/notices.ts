import { refusedRequest, seriesNotFound, tooLarge, unknownPath } from '../errors.js';
import type { UpstreamReply, UpstreamRequest } from '../provider.js';
import { named } from './named.js';

/** Parameters of a data request that are not dimensions. */
const controls: ReadonlySet<string> = new Set(['format', 'lang', 'lastTimePeriod']);

const notFound = ({ path, query }: UpstreamRequest): Error => {
  // `statistics/1.0/data/NAME`, `sdmx/2.1/dataflow/ESTAT/NAME/1.0`
  if (path[0] !== 'statistics') return unknownPath(named, path.slice(4, 5));
  const codes = Object.entries(query ?? {}).flatMap(([key, code]) =>
    controls.has(key) ? [] : [String(code)],
  );
  return seriesNotFound(named, `${path[3] ?? ''}/${codes.join('.')}`);
};

interface Notice {
  readonly status: number;
  /** SDMX code: 100 no results, 140 syntax, 150 semantic; missing in warnings. */
  readonly id: number | undefined;
  readonly label: string;
}

const numberIn = (pattern: RegExp, text: string): number | undefined => {
  const digits = pattern.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

/**
 * Notices are JSON (`{"error":[…]}`, `{"warning":{…}}`, both also with HTTP 200) or a SOAP fault. Only the head is parsed, since a reply
 * with data may be long.
 */
const readNotice = ({ text, status }: UpstreamReply): Notice | undefined => {
  const head = text.slice(0, 2_000);
  if (/^\s*\{\s*"(?:error|warning)"\s*:/.test(head)) {
    return {
      status: numberIn(/"status"\s*:\s*"?(\d{3})/, head) ?? status,
      id: numberIn(/"id"\s*:\s*"?(\d+)/, head),
      label: /"label"\s*:\s*"([^"]*)"/.exec(head)?.[1] ?? '',
    };
  }
  const code = numberIn(/<faultcode>\s*(\d+)\s*</, head);
  if (code === undefined) return undefined;
  return { status, id: code, label: /<faultstring>([^<]*)</.exec(head)?.[1] ?? '' };
};

/** A notice instead of data. Both "too large" and "we prepare it, come back later" mean that the request must be smaller. */
export const explainNotice = (reply: UpstreamReply, request: UpstreamRequest): Error | undefined => {
  const notice = readNotice(reply);
  const { status, id, label } = notice ?? { status: reply.status, id: undefined, label: '' };
  if (status === 413 || id === 413 || /ASYNCHRONOUS_RESPONSE|EXTRACTION_TOO_BIG/.test(label)) {
    return tooLarge(named);
  }
  if (id === 100 || status === 404) return notFound(request);
  // The codes of a series were checked against its structure, so only their combination can be wrong.
  if (id === 140 || id === 150) return notFound(request);
  return status === 400 ? refusedRequest(named, label) : undefined;
};
