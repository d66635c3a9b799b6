/** Caches plans of current versions: compiling and hashing the filter is most of the cost of a repeated request. */
import { createCache } from '../lib/cache.js';
import type { ReadableVersion } from '../model/version.js';
import type { DownloadRequest } from './download-request.js';
import type { Plan } from './plan.js';

interface PlanCache {
  /** @param version must be the same object: another one may have its rows in a different location */
  get(request: DownloadRequest, version: ReadableVersion): Plan | undefined;
  set(request: DownloadRequest, version: ReadableVersion, plan: Plan): void;
}

/** Approximate size of the cache. */
const cachedBytes = 16 * 1024 * 1024;

/** In characters. Plans with longer options are not cached. */
const longestKey = 4_000;

interface CachedPlan {
  readonly version: ReadableVersion;
  readonly plan: Plan;
  readonly key: string;
}

const bytesOf = ({ plan: { chosen, output, answerRows }, key }: CachedPlan): number =>
  2_000 + 4 * (key.length + answerRows.sql.length) + 200 * (chosen.length + output.length);

/** Undefined if the plan depends on more than the version and the options. */
const keyOf = (request: DownloadRequest): string | undefined => {
  const { dataset, options, format, about, adapt, renameApplied, filterKey, filterLimits } = request;
  if ([about, adapt, renameApplied, filterKey, filterLimits].some((given) => given !== undefined))
    return undefined;
  const key = `${dataset.id} ${format} ${JSON.stringify(options)}`;
  return key.length > longestKey ? undefined : key;
};

export const createPlanCache = (): PlanCache => {
  const plans = createCache<CachedPlan>({ limit: cachedBytes, weigh: bytesOf });
  return {
    get(request, version) {
      const key = keyOf(request);
      const found = key === undefined ? undefined : plans.get(key);
      return found?.version === version ? found.plan : undefined;
    },
    set(request, version, plan) {
      const key = keyOf(request);
      if (key !== undefined) plans.set(key, { version, plan, key });
    },
  };
};
