import { isAppError, messageOf } from '../lib/errors.js';
import type { Provider } from '../providers/provider.js';
import { ownTask } from './caller.js';
import { keyNeeded, type Operations } from './operations.js';
import { resolveParams } from './params.js';

/** Result of the check of one upstream. */
export interface CheckResult {
  readonly slug: string;
  readonly state: 'ok' | 'no key' | 'failed';
  readonly milliseconds: number;
  /** Number of observations, or the error. */
  readonly detail: string;
}

/** Requests the preview of its first popular series. No answer is cached or reused. */
export const checkProvider = async (
  operations: Operations,
  provider: Provider,
  now: () => number,
): Promise<CheckResult> => {
  const startedAt = now();
  const result = (state: CheckResult['state'], detail: string): CheckResult => ({
    slug: provider.slug,
    state,
    milliseconds: now() - startedAt,
    detail,
  });
  const caller = ownTask('check');
  const key = await operations.keyFor(provider, caller);
  if (provider.key?.required === true && key.kind === 'none')
    return result('no key', keyNeeded(provider).message);
  const seriesId = provider.popularSeries[0]?.id ?? '';
  try {
    const { value } = await operations.run({
      provider,
      caller,
      subject: { seriesId },
      validity: 'series',
      work: (ctx) => provider.preview(seriesId, resolveParams(provider, {}), ctx),
    });
    return result('ok', `${seriesId}: ${value.data.length} observations`);
  } catch (error) {
    return result('failed', isAppError(error) ? error.message : messageOf(error));
  }
};
