import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createSession, type SessionOptions } from '../../../src/gateway/upstream/session.js';
import { bankOfCanada } from '../../../src/providers/bank-of-canada.js';

it('a request that fails after the deadline of its caller harms nobody', async () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', onUnhandled);
  onTestFinished(() => void process.off('unhandledRejection', onUnhandled));
  // The deadline passes while the request is begun.
  let nowMs = 0;
  const answer = async (): Promise<never> => {
    nowMs = 70_000;
    await sleep(1);
    throw new Error('the upstream is down');
  };
  const session = createSession({
    access: { cache: { answer }, now: () => nowMs, operationTimeoutMs: 60_000 },
    provider: bankOfCanada,
    key: { kind: 'none', scope: 'none', audience: 'shared' },
    owner: { provider: bankOfCanada, keyScope: 'none', account: 'one' },
  } as unknown as SessionOptions);
  await expect(session.ctx.http.text({ path: ['a'], keep: 'series' })).rejects.toMatchObject({
    code: 'operation_timeout',
  });
  await sleep(20);
  expect(unhandled).toEqual([]);
});
