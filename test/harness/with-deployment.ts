import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../src/lib/log.js';
import { createScope, type Scope } from '../../src/lib/scope.js';
import { type Deployment, type DeploymentOptions, startDeployment } from './deployment.js';

export interface Judged {
  readonly faults: readonly string[];
}

/** Folder with the logs of a run; undefined if it had no faults, since the folder is then deleted. */
export interface Kept {
  readonly kept: string | undefined;
}

/** Starts a deployment in a fresh folder, runs `work` and stops it. Keeps the folder if there was a fault. */
export const withDeployment = async <T extends Judged>(
  options: Omit<DeploymentOptions, 'dataDir' | 'log' | 'scope'> & { readonly say: (line: string) => void },
  work: (deployment: Deployment, scope: Scope) => Promise<T>,
): Promise<T & Kept> => {
  const { say, ...settings } = options;
  const log = createLog('harness', 'fatal', 2);
  const scope = createScope(log);
  const dataDir = await mkdtemp(join(tmpdir(), 'tabulary-harness-'));
  let isClean = false;
  try {
    const deployment = await startDeployment({ ...settings, dataDir, log, scope });
    say(`started in ${dataDir}: ${deployment.names.join(', ')}`);
    const result = await work(deployment, scope);
    isClean = result.faults.length === 0;
    return { ...result, kept: isClean ? undefined : dataDir };
  } finally {
    await scope.close();
    if (isClean) await rm(dataDir, { recursive: true, force: true });
  }
};
