/** Plans of current versions, kept in memory: to compile a filter and hash its text is most of what a repeated question costs. */
import { createCache } from '../lib/cache.js';
import type { ReadableVersion } from '../model/version.js';
import type { DownloadRequest } from './download-request.js';
import type { Plan } from './plan.js';

interface PlanCache {
  /** @param version As `Versions.remembered` returned it; a plan for any other object, with rows in another place, is not found. */
  get(request: DownloadRequest, version: ReadableVersion): Plan | undefined;
  set(request: DownloadRequest, version: ReadableVersion, plan: Plan): void;
}

/** Bytes of all plans together, about. */
const cachedBytes = 16 * 1024 * 1024;

/** Characters of the options of a plan that is kept. */
const longestKey = 4_000;

interface KeptPlan {
  readonly version: ReadableVersion;
  readonly plan: Plan;
  readonly key: string;
}

const bytesOf = ({ plan: { chosen, output, answerRows }, key }: KeptPlan): number =>
  2_000 + 4 * (key.length + answerRows.sql.length) + 200 * (chosen.length + output.length);

/** Undefined for a plan that depends on more than the version and the options. */
const keyOf = (request: DownloadRequest): string | undefined => {
  const { dataset, options, format, about, adapt, filterKey, filterLimits } = request;
  if (about !== undefined || adapt !== undefined || filterKey !== undefined || filterLimits !== undefined)
    return undefined;
  const key = `${dataset.id} ${format} ${JSON.stringify(options)}`;
  return key.length > longestKey ? undefined : key;
};

export const createPlanCache = (): PlanCache => {
  const plans = createCache<KeptPlan>({ limit: cachedBytes, weigh: bytesOf });
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
