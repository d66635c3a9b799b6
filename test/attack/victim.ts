/** Account that works normally while another attacks. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createDataset, uploadAndWait } from '../../bench/support/client.js';
import type { RunningProduct } from '../../bench/support/product.js';
import { percentile } from '../../bench/support/statistics.js';
import { tableStream } from '../../bench/support/table-stream.js';
import { count } from '../harness/report.js';
import { quickSeries } from './upstreams.js';

export interface Measured {
  readonly requests: number;
  /** Latencies of light requests, milliseconds. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** From the first byte sent until its rows are readable; undefined if it failed. */
  readonly uploadSeconds: number | undefined;
  /** Errors by status and code; `broken` and `late` for no response. */
  readonly errors: Readonly<Record<string, number>>;
}

export interface Victim {
  /** Sends light requests for at least `seconds`, and an upload meanwhile. */
  work(options: { readonly seconds: number; readonly uploadBytes: number }): Promise<Measured>;
}

/** Milliseconds between light requests. */
const pauseMs = 50;

/** Timeout of a light request. */
const requestLimitMs = 60_000;
/** Timeout of an upload. */
const uploadLimitMs = 300_000;

const lightRequests = (id: number): readonly string[] => [
  `/datasets/${id}`,
  `/datasets/${id}/columns`,
  `/datasets/${id}/versions?$top=10`,
  `/datasets/${id}/data?$top=20`,
  `/datasets/${id}/data?$filter=${encodeURIComponent('value gt 500000')}&$top=5`,
  '/repositories',
  quickSeries,
];

/** Returns status and code of an error response, or undefined for 200. */
const get = async (url: string, authorization: string): Promise<string | undefined> => {
  const answer = await fetch(url, { headers: { authorization } });
  const text = await answer.text();
  if (answer.status === 200) return undefined;
  return `${answer.status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`.trim();
};

/** @param product product with the credentials of the victim */
export const createVictim = async (product: RunningProduct): Promise<Victim> => {
  const { baseUrl, authorization } = product;
  const small = await createDataset(product, `victim ${Date.now()}`);
  await uploadAndWait(product, small, tableStream(500_000).content);
  const paths = lightRequests(small);

  const sendLightRequests = async (
    until: () => boolean,
    errors: Record<string, number>,
  ): Promise<readonly number[]> => {
    const times: number[] = [];
    for (let turn = 0; !until(); turn += 1) {
      const startedAt = performance.now();
      try {
        const response = get(`${baseUrl}${paths[turn % paths.length]}`, authorization);
        const error = await Promise.race([response, sleep(requestLimitMs, 'late', { ref: false })]);
        if (error !== undefined) count(errors, error);
      } catch {
        count(errors, 'broken');
      }
      times.push(performance.now() - startedAt);
      await sleep(pauseMs);
    }
    return times;
  };

  const uploadOnce = async (bytes: number, errors: Record<string, number>): Promise<number | undefined> => {
    const startedAt = performance.now();
    try {
      const dataset = await createDataset(product, `upload ${startedAt} ${Date.now()}`);
      const limit = sleep(uploadLimitMs, 'late', { ref: false });
      const ended = await Promise.race([uploadAndWait(product, dataset, tableStream(bytes).content), limit]);
      if (ended === 'late') throw new Error('the upload timed out');
      return (performance.now() - startedAt) / 1000;
    } catch (error) {
      count(errors, `upload: ${error instanceof Error ? error.message.slice(0, 120) : error}`);
      return undefined;
    }
  };

  return {
    async work({ seconds, uploadBytes }) {
      const errors: Record<string, number> = {};
      const end = performance.now() + seconds * 1000;
      let uploading = true;
      const sending = sendLightRequests(() => !uploading && performance.now() > end, errors);
      const uploadSeconds = await uploadOnce(uploadBytes, errors);
      uploading = false;
      const times = await sending;
      return {
        requests: times.length,
        p50Ms: percentile(times, 0.5),
        p95Ms: percentile(times, 0.95),
        uploadSeconds,
        errors,
      };
    },
  };
};
