import type { ComponentState } from '../http/routes/ops-schema.js';
import { messageOf } from '../lib/errors.js';

/** Longest wait for the answer of a component. */
const timeoutMs = 5_000;

/** Callers that probe repeatedly add `since`. */
type ProbedState = Omit<ComponentState, 'since'>;

/** Runs a probe. Does not throw: a component that is down must not hide the others. */
export const probe = async <T>(
  name: ComponentState['name'],
  run: () => Promise<T>,
): Promise<{ component: ProbedState; answer: T | null }> => {
  const startedAt = Date.now();
  const settled = new AbortController();
  const expired = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    settled.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
  const componentOf = (error: string | null): ProbedState => ({
    name,
    ok: error === null,
    ms: Date.now() - startedAt,
    error,
  });
  try {
    const answer = await Promise.race([run(), expired]);
    return { component: componentOf(null), answer };
  } catch (error) {
    return { component: componentOf(messageOf(error).slice(0, 200)), answer: null };
  } finally {
    settled.abort();
  }
};
