/** Clients that upload continuously, and a ledger of their responses. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../harness/deployment.js';
import { createRandom, type Random } from '../harness/random.js';
import type { Outcome, Sending } from '../harness/sending.js';
import { createDataset } from '../harness/steady-table.js';
import { createFile } from './files.js';
import { queryOf } from './upload-options.js';

/** Upload as recorded by its client. */
export interface Entry {
  /** Request id, which identifies the upload in PostgreSQL. */
  readonly requestId: string;
  readonly fileSeed: number;
  readonly datasetId: number;
  readonly hungUp: boolean;
  readonly outcome: Outcome;
}

export interface Ledger {
  readonly entries: Entry[];
  /** Datasets that are not checked here: deleted by a client, or used by other clients. */
  readonly unchecked: Set<number>;
  /** Seed of the file sent with a request id. */
  seedOf(requestId: string): number | undefined;
}

export interface Load {
  readonly ledger: Ledger;
  /** Stops the clients after their current upload. */
  stop(): Promise<void>;
}

export interface LoadOptions {
  readonly product: Deployment;
  readonly seed: number;
  readonly clients: number;
  readonly datasets: number;
  readonly largestRows: number;
  readonly send: (sending: Sending) => Promise<Outcome>;
}

const requestIdOf = (fileSeed: number): string => `crash-${fileSeed}`;

const seedOf = (requestId: string): number | undefined => {
  const digits = /^crash-(\d+)$/.exec(requestId)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

export const createLoad = async (options: LoadOptions): Promise<Load> => {
  const { product, seed, largestRows } = options;
  const headers = { authorization: product.authorization };
  const ledger: Ledger = { entries: [], unchecked: new Set(), seedOf };
  let stopping = false;
  let sent = 0;
  let made = 0;

  /** Retries until it succeeds, since the API may be down. */
  const makeDataset = async (random: Random): Promise<number> => {
    for (;;) {
      made += 1;
      try {
        return await createDataset(product, `dataset ${made}`, random.pick(product.apis));
      } catch (error) {
        if (stopping && error instanceof TypeError) throw error;
      }
      await sleep(200);
    }
  };

  const setUp = createRandom(seed);
  const datasets: number[] = [];
  while (datasets.length < options.datasets) datasets.push(await makeDataset(setUp));

  /** Replaces a dataset with a new one and deletes it, regardless of uploads in flight. */
  const replaceDataset = async (random: Random): Promise<void> => {
    const place = random.between(0, datasets.length - 1);
    const old = datasets[place];
    if (old === undefined) return;
    datasets[place] = await makeDataset(random);
    ledger.unchecked.add(old);
    try {
      await fetch(`${random.pick(product.apis)}/datasets/${old}`, { method: 'DELETE', headers });
    } catch {
      // The API is down; whether it deleted the dataset is unknown and not checked.
    }
  };

  const uploadOnce = async (random: Random): Promise<void> => {
    sent += 1;
    // Unique within a run, and reproducible from seed and number.
    const fileSeed = seed * 1_000_000 + sent;
    const { bytes, uploadOptions } = createFile(fileSeed, largestRows);
    const datasetId = random.pick(datasets);
    const pieces = random.pick([1, 1, 2, 5, 12]);
    const hungUp = random.chance(0.06);
    const outcome = await options.send({
      url: `${random.pick(product.apis)}/datasets/${datasetId}/data?${queryOf(uploadOptions)}`,
      authorization: product.authorization,
      requestId: requestIdOf(fileSeed),
      file: bytes,
      pieces,
      pauseMs: random.chance(0.3) ? random.between(5, 400) : 0,
      hangUpAfter: hungUp ? random.between(0, pieces - 1) : undefined,
    });
    ledger.entries.push({ requestId: requestIdOf(fileSeed), fileSeed, datasetId, hungUp, outcome });
    // Waits longer after a refusal, like a real client.
    const refused = outcome.kind === 'broken' || outcome.status >= 500;
    await sleep(refused ? random.between(200, 600) : random.between(0, 300));
  };

  const client = async (number: number): Promise<void> => {
    const random = createRandom(seed + 7919 * (number + 1));
    while (!stopping) {
      if (random.chance(0.002)) await replaceDataset(random);
      await uploadOnce(random);
    }
  };
  const clients = Array.from({ length: options.clients }, (_, number) => client(number));

  return {
    ledger,
    async stop() {
      stopping = true;
      await Promise.all(clients);
    },
  };
};
