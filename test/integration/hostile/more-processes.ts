import { createApiProcess } from '../../../src/compose/api-process.js';
import { createWorkerProcess } from '../../../src/compose/worker-process.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import type { TestProduct } from '../../support/product.js';

/** A further process of the product, on the same services and names. */
export interface FurtherProcess {
  readonly port: number;
  /** Ends it as an operator would: it finishes what it is at. */
  stop(): Promise<void>;
}

export const startFurther = async (
  { config }: TestProduct,
  kind: 'api' | 'worker',
): Promise<FurtherProcess> => {
  const scope = createScope(silentLog);
  const create = kind === 'api' ? createApiProcess : createWorkerProcess;
  const { port } = await create(config, silentLog, scope, 'test');
  return { port, stop: () => scope.close() };
};
