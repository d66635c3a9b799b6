import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { patchKafkajs } from '../../../../../src/storage/kafka/kafkajs/patch.js';

interface Queue {
  pending: unknown[];
  throttledUntil: number;
  push(request: object): void;
  maybeThrottle(ms: number): void;
  checkPendingRequests(): void;
}

const load = createRequire(import.meta.url);
const RequestQueue = load('kafkajs/src/network/requestQueue/index.js') as new (options: object) => Queue;

let sent = 0;
const request = () => ({
  entry: { correlationId: sent, apiName: 'Metadata', apiKey: 3, resolve: () => undefined },
  expectResponse: false,
  sendRequest: () => {
    sent += 1;
  },
});

let queue: Queue;
beforeEach(() => {
  patchKafkajs();
  vi.useFakeTimers();
  sent = 0;
  const logger = { debug: () => undefined, warn: () => undefined, error: () => undefined };
  queue = new RequestQueue({ maxInFlightRequests: null, requestTimeout: 1_000, logger, broker: 'b' });
});
afterEach(() => vi.useRealTimers());

describe('the request queue of kafkajs', () => {
  it('sets no timer while no request is pending', () => {
    queue.push(request());
    queue.checkPendingRequests();
    expect(sent).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('sends a throttled request when the throttle ends, and sets no timer after that', () => {
    queue.maybeThrottle(200);
    queue.push(request());
    expect(sent).toBe(0);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(300);
    expect(sent).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
