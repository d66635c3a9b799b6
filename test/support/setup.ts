/** Setup file of the projects with servers: runs before each test file, even if files share a process and its modules. */
import { afterEach, expect } from 'vitest';
import { startStoppedWorkers } from './product.js';

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await startStoppedWorkers(expect.getState().currentTestName);
});
