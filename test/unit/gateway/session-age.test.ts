import { expect, it } from 'vitest';
import type { Answer } from '../../../src/gateway/cache/cache.js';
import { createSession, type SessionOptions } from '../../../src/gateway/upstream/session.js';
import { bankOfCanada } from '../../../src/providers/bank-of-canada.js';

it('remembers the age of the oldest reused reply with data, not that of a structure', async () => {
  const ages = [300, 200, 9_000];
  const answer = async (): Promise<Answer> => ({
    body: JSON.stringify({ status: 200, text: '' }),
    ageSeconds: ages.shift() ?? 0,
    stale: false,
  });
  const session = createSession({
    access: { cache: { answer }, now: () => 0, operationTimeoutMs: 60_000 },
    provider: bankOfCanada,
    key: { kind: 'none', scope: 'none', audience: 'shared' },
    owner: { provider: bankOfCanada, keyScope: 'none', account: 'one' },
  } as unknown as SessionOptions);
  for (const keep of ['series', 'series', 'structure'] as const)
    await session.ctx.http.text({ path: ['a'], keep });
  expect(session.seen.ageSeconds).toBe(300);
});
