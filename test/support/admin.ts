/** Runs operator commands against a product in the test process. */
import type { AdminGroup } from '../../src/admin/command.js';
import { runCommandLine } from '../../src/admin/run.js';
import { silentLog } from '../../src/lib/log.js';
import { createScope } from '../../src/lib/scope.js';
import type { TestProduct } from './product.js';

export interface Ran {
  readonly output: string;
  /** Exit code of the process. */
  readonly exitCode: number;
}

/** Splits the line at spaces. @throws what the command throws. */
export const runAdmin = async (
  { config, sql }: Pick<TestProduct, 'config' | 'sql'>,
  groups: readonly AdminGroup[],
  line: string,
): Promise<Ran> => {
  const scope = createScope(silentLog);
  let exitCode = 0;
  const onFault = (): void => {
    exitCode = 1;
  };
  try {
    const context = { config, log: silentLog, scope, sql, onFault };
    return { output: await runCommandLine(groups, line.split(' '), async () => context), exitCode };
  } finally {
    await scope.close();
  }
};
