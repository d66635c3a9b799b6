import { createHash } from 'node:crypto';
import type { Params } from '../providers/parameter.js';
import type { Observation, SeriesMetadata } from '../providers/provider.js';

export interface KeyNotice {
  readonly api_key_required: true;
  readonly has_api_key: boolean;
  readonly api_key_hint: string;
}

/** A series as it is handed out. Values are decimal text; `json` spells them as numbers with the same digits. */
export interface SeriesAnswer {
  readonly seriesId: string;
  /** Parameters of the request, defaults included. */
  readonly params: Params;
  readonly label: string;
  readonly metadata: SeriesMetadata;
  /** Oldest first, one per date. */
  readonly data: readonly Observation[];
  readonly isPreview: boolean;
  readonly keyNotice: KeyNotice | undefined;
  readonly ageSeconds: number;
  readonly stale: boolean;
  /** The body of the answer. */
  readonly json: string;
  /** Strong; changes exactly when the body does. */
  readonly etag: string;
}

/**
 * JSON by hand for one reason: a value goes from the upstream to the caller without becoming a float. Dates and
 * values were checked to be nothing but digits and signs.
 */
const observationJson = ({ date, value, flag }: Observation): string =>
  `{"date":"${date}","value":${value ?? 'null'}${flag === undefined ? '' : `,"flag":${JSON.stringify(flag)}`}}`;

const toJson = ({
  seriesId,
  label,
  metadata,
  data,
  isPreview,
  keyNotice,
}: Omit<SeriesAnswer, 'json' | 'etag'>): string => {
  const head = JSON.stringify({ series_id: seriesId, label, metadata }).slice(0, -1);
  const tail = JSON.stringify({ is_preview: isPreview, ...keyNotice }).slice(1);
  return `${head},"data":[${data.map(observationJson).join(',')}],${tail}`;
};

export const createSeriesAnswer = (parts: Omit<SeriesAnswer, 'json' | 'etag'>): SeriesAnswer => {
  const json = toJson(parts);
  return { ...parts, json, etag: `"${createHash('sha256').update(json).digest('base64url').slice(0, 27)}"` };
};
