import { createHash } from 'node:crypto';
import type { Params } from '../providers/parameter.js';
import type { Observation, SeriesMetadata } from '../providers/provider.js';

export interface KeyNotice {
  readonly api_key_required: true;
  readonly has_api_key: boolean;
  readonly api_key_hint: string;
}

/** Answer with a series. Values are decimal text; in `json` they are numbers with the same digits. */
export interface SeriesAnswer {
  readonly seriesId: string;
  /** Parameters of the request, with defaults. */
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
  /** Strong entity tag; changes exactly when the body does. */
  readonly etag: string;
}

/**
 * JSON is written by hand so that values are never converted to floats. Dates and values have been checked to contain only digits and
 * signs.
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
