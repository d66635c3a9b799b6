import type { Ground } from './ground.js';
import type { Stock } from './stock.js';

export interface Attack {
  readonly name: string;
  /** Description of the attack, for the table. */
  readonly does: string;
  /** Makes what it needs; not measured. */
  prepare?(ground: Ground, stock: Stock): Promise<unknown>;
  /**
   * Attacks until the signal ends it; connections that it leaves open are ended then.
   * @throws Error for a defence that does not hold, whatever it costs others; what it throws after the signal is no fault.
   */
  run(ground: Ground, stock: Stock, signal: AbortSignal): Promise<void>;
}
