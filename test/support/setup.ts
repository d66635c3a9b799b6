/** Runs before each test file of the projects with servers, also where files share a process and its modules. */
import { afterEach, expect } from 'vitest';
import { startStoppedWorkers } from './product.js';

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await startStoppedWorkers(expect.getState().currentTestName);
});
