import type { Figure } from './figure.js';
import type { ProductSettings, RunningProduct } from './product.js';

/** Inputs of a bench. */
export interface BenchContext {
  /** Smoke run; its figures are not measurements. */
  readonly quick: boolean;
  /** Returns `full` in a full run, `quick` in a quick run. */
  pick<T>(full: T, quick: T): T;
  /** Prints a line of progress. */
  say(text: string): void;
  /** Keeps figures even if the bench fails later; they precede the returned ones. */
  report(figures: readonly Figure[]): void;
  /**
   * Starts the whole product on a fresh data folder and warms it up; later calls with the same settings return the same
   * product. In a quick run, benches without settings of their own share one. The runner stops it.
   */
  product(settings?: ProductSettings): Promise<RunningProduct>;
  /** Registers cleanup that runs when the bench ends, whatever its outcome, in reverse order. */
  defer(name: string, undo: () => Promise<void> | void): Promise<void>;
}

/** Measures and returns figures not yet reported; a throw fails the bench and the run continues. */
export type Bench = (context: BenchContext) => Promise<Figure[]>;

export interface BenchEntry {
  readonly name: string;
  readonly run: Bench;
  /** Skipped in quick runs unless `--only` names it. */
  readonly fullOnly?: boolean;
  /** Timeout in minutes, after which the bench fails. @default 15 */
  readonly limitMinutes?: number;
}
