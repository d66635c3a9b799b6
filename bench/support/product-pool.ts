import type { Scope } from '../../src/lib/scope.js';
import type { BenchContext } from './bench.js';
import { type ProductSettings, type RunningProduct, startWholeProduct } from './product.js';
import { warmUp } from './warm-up.js';

/** Starts products for benches and stops those no longer in use. */
export interface ProductPool {
  /** `product` of one bench; an unshared product stops with `scope`. */
  openFor(scope: Scope): BenchContext['product'];
  /** Stops the shared product and waits for abandoned starts; the next bench gets a fresh one. */
  drop(): Promise<void>;
}

export interface ProductPoolOptions {
  /** Whether benches without settings of their own share one product. */
  readonly isShared: boolean;
  /** Data folder of the products; undefined for a fresh one each. */
  readonly dataDir?: string | undefined;
  readonly say: (text: string) => void;
  /** Aborts starts in progress. */
  readonly signal: AbortSignal;
}

export const createProductPool = ({ isShared, dataDir, say, signal }: ProductPoolOptions): ProductPool => {
  const starting = new Set<Promise<RunningProduct>>();
  let shared: RunningProduct | undefined;

  const startWarm = async (settings?: ProductSettings): Promise<RunningProduct> => {
    const startedAt = performance.now();
    const product = await startWholeProduct(settings, { signal, dataDir });
    try {
      await warmUp(product);
    } catch (error) {
      await product.stop();
      throw error;
    }
    say(`product started in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    return product;
  };

  const start = async (settings?: ProductSettings): Promise<RunningProduct> => {
    const product = startWarm(settings);
    starting.add(product);
    try {
      return await product;
    } finally {
      starting.delete(product);
    }
  };

  return {
    openFor(scope) {
      const startOwn = async (settings?: ProductSettings): Promise<RunningProduct> => {
        const product = await start(settings);
        await scope.defer('product', product.stop);
        return product;
      };
      /** Products of this bench, by their settings. */
      const own = new Map<string, Promise<RunningProduct>>();
      return async (settings) => {
        if (!isShared || settings !== undefined) {
          const key = JSON.stringify(settings ?? {});
          const started = own.get(key) ?? startOwn(settings);
          own.set(key, started);
          return started;
        }
        shared ??= await start(settings);
        return shared;
      };
    },
    async drop() {
      await Promise.allSettled(starting);
      const dropped = shared;
      shared = undefined;
      await dropped?.stop();
    },
  };
};
