import { createApiProcess } from '../../src/compose/api-process.js';
import { createWorkerProcess } from '../../src/compose/worker-process.js';
import type { Config } from '../../src/config.js';
import { silentLog } from '../../src/lib/log.js';
import { createScope } from '../../src/lib/scope.js';
import type { TestProduct } from './product.js';

/** Additional process of a product, on the same services. */
export interface FurtherProcess {
  /** Base URL of its health endpoints and metrics. */
  readonly root: string;
  /** Base URL of the API, `/api` included. */
  readonly baseUrl: string;
  /** Shuts down gracefully: work in flight is finished. */
  stop(): Promise<void>;
}

export interface FurtherOptions {
  /** Settings that differ from those of the product. */
  readonly changes?: Partial<Config>;
  /** @default 'test' */
  readonly version?: string;
}

export const startFurther = async (
  { config }: Pick<TestProduct, 'config'>,
  kind: 'api' | 'worker',
  { changes = {}, version = 'test' }: FurtherOptions = {},
): Promise<FurtherProcess> => {
  const scope = createScope(silentLog);
  const create = kind === 'api' ? createApiProcess : createWorkerProcess;
  const own = { ...config, port: 0, workerPort: 0, ...changes } as Config;
  const { port } = await create(own, silentLog, scope, { version, commit: version });
  const root = `http://127.0.0.1:${port}`;
  return { root, baseUrl: `${root}/api`, stop: () => scope.close() };
};
