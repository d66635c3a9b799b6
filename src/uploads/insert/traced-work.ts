import type { Delivery } from '../../storage/kafka/delivery.js';

/** Runs work on chunks within the traces of their uploads. */
export type TraceWork = <T>(deliveries: readonly Delivery[], work: () => Promise<T>) => Promise<T>;
