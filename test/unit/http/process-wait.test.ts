import { expect, it } from 'vitest';
import { waitFor } from '../../../src/http/routes/process-wait.js';
import type { ProcessView } from '../../../src/model/process.js';

const pending = { id: 7, datasetId: 1, status: 'pending' } as ProcessView;

it('waits on for an accepted process while PostgreSQL cannot be reached', async () => {
  let polls = 0;
  const view = async (): Promise<ProcessView> => {
    polls += 1;
    if (polls === 1) throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    return { ...pending, status: 'completed' };
  };
  expect(await waitFor({ view }, pending, 30, () => false)).toMatchObject({ status: 'completed' });
});
