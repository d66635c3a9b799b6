import type { Scope } from '../../src/lib/scope.js';
import type { BenchContext } from './bench.js';
import { type RunningProduct, startWholeProduct } from './product.js';
import { warmUp } from './warm-up.js';

/** Hands products to benches and stops them when nobody needs them any more. */
export interface ProductPool {
  /** `product` of one bench; what is its own is stopped with `scope`. */
  openFor(scope: Scope): BenchContext['product'];
  /** Stops the shared product; the next bench gets a fresh one. */
  dropShared(): Promise<void>;
}

const start = async (
  settings: Parameters<BenchContext['product']>[0],
  say: (text: string) => void,
): Promise<RunningProduct> => {
  const startedAt = performance.now();
  const product = await startWholeProduct(settings);
  await warmUp(product);
  say(`product started in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return product;
};

/** @param isShared Benches without settings of their own share one product. */
export const createProductPool = (isShared: boolean, say: (text: string) => void): ProductPool => {
  let shared: RunningProduct | undefined;
  return {
    openFor(scope) {
      const startOwn: BenchContext['product'] = async (settings) => {
        const product = await start(settings, say);
        await scope.defer('product', product.stop);
        return product;
      };
      let own: Promise<RunningProduct> | undefined;
      return async (settings) => {
        if (!isShared || settings !== undefined) {
          own ??= startOwn(settings);
          return own;
        }
        shared ??= await start(settings, say);
        return shared;
      };
    },
    async dropShared() {
      const dropped = shared;
      shared = undefined;
      await dropped?.stop();
    },
  };
};
