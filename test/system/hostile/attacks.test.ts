import { getPriority } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningProduct } from '../../../bench/support/product.js';
import { type AttackReport, runAttacks, startAttackedProduct } from '../../attack/attack-run.js';
import { attacks } from '../../attack/attacks.js';

let product: RunningProduct;
let report: AttackReport;

beforeAll(async () => {
  product = await startAttackedProduct();
  report = await runAttacks(product, { short: true, seconds: 1, uploadBytes: 1e6, say: () => undefined });
});

afterAll(() => product?.stop());

it('the worker has a lower CPU priority than the API', () => {
  const { api, worker } = product.pids();
  expect(getPriority(worker)).toBeGreaterThan(getPriority(api));
});

describe('under attack, API and worker stay within their memory limits and other clients see no errors', () => {
  it.each(attacks.map(({ name }) => name))('%s', (name) => {
    const outcome = report.outcomes.find(({ attack }) => attack === name);
    expect(outcome?.failures).toEqual([]);
    expect(outcome?.suffered.requests).toBeGreaterThan(0);
    expect(outcome?.suffered.uploadSeconds).toBeGreaterThan(0);
  });
});
