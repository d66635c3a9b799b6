/** An account that goes about its work while another attacks. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createDataset, uploadAndWait } from '../../bench/support/client.js';
import type { RunningProduct } from '../../bench/support/product.js';
import { percentile } from '../../bench/support/statistics.js';
import { tableStream } from '../../bench/support/table-stream.js';
import { count } from '../harness/report.js';
import { quickSeries } from './upstreams.js';

export interface Suffered {
  readonly requests: number;
  /** Latencies of light requests, milliseconds. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** From the first byte sent until its rows can be read; undefined: it failed. */
  readonly uploadSeconds: number | undefined;
  /** Answers that are none of a healthy service, by status and code; `broken` and `late`: none came. */
  readonly errors: Readonly<Record<string, number>>;
}

export interface Victim {
  /** Sends light requests for at least so long, and an upload meanwhile. */
  work(options: { readonly seconds: number; readonly uploadBytes: number }): Promise<Suffered>;
}

/** Milliseconds between two light requests. */
const pauseMs = 50;

/** A request that is answered in the time of one minute or not at all. */
const requestLimitMs = 60_000;
/** A file that is uploaded in the time of some minutes or not at all. */
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

/** Status and code of a wrong answer; undefined: the answer is right. */
const ask = async (url: string, authorization: string): Promise<string | undefined> => {
  const answer = await fetch(url, { headers: { authorization } });
  const text = await answer.text();
  if (answer.status === 200) return undefined;
  return `${answer.status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`.trim();
};

/** @param product The product as the victim's account reaches it. */
export const createVictim = async (product: RunningProduct): Promise<Victim> => {
  const { baseUrl, authorization } = product;
  const small = await createDataset(product, `victim ${Date.now()}`);
  await uploadAndWait(product, small, tableStream(500_000).content);
  const paths = lightRequests(small);

  const askLightly = async (
    until: () => boolean,
    errors: Record<string, number>,
  ): Promise<readonly number[]> => {
    const times: number[] = [];
    for (let turn = 0; !until(); turn += 1) {
      const startedAt = performance.now();
      try {
        const asked = ask(`${baseUrl}${paths[turn % paths.length]}`, authorization);
        const answer = await Promise.race([asked, sleep(requestLimitMs, 'late', { ref: false })]);
        if (answer !== undefined) count(errors, answer);
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
      if (ended === 'late') throw new Error('the upload was not done in time');
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
      const lasting = askLightly(() => !uploading && performance.now() > end, errors);
      const uploadSeconds = await uploadOnce(uploadBytes, errors);
      uploading = false;
      const times = await lasting;
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
