import type { ComponentState } from '../http/routes/ops-schema.js';
import { messageOf } from '../lib/errors.js';

/** Longest that a component may take to answer. */
const patienceMs = 5_000;

/** Since when it has been so is for those to know who ask again and again. */
type Answering = Omit<ComponentState, 'since'>;

/** The answer of a component, or that it has none: one that is down must not hide the others. */
export const ask = async <T>(
  name: ComponentState['name'],
  question: () => Promise<T>,
): Promise<{ component: Answering; answer: T | null }> => {
  const startedAt = Date.now();
  const settled = new AbortController();
  const expired = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs} ms`)), patienceMs);
    settled.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
  const componentOf = (error: string | null): Answering => ({
    name,
    ok: error === null,
    ms: Date.now() - startedAt,
    error,
  });
  try {
    const answer = await Promise.race([question(), expired]);
    return { component: componentOf(null), answer };
  } catch (error) {
    return { component: componentOf(messageOf(error).slice(0, 200)), answer: null };
  } finally {
    settled.abort();
  }
};
