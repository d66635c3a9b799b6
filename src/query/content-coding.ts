import { type Duplex, Transform } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { compressZstd } from '../lib/zstd.js';

export type Coding = 'identity' | 'gzip' | 'zstd';

/**
 * Best first when the client gives them the same weight. zstd is faster, but is sent in several frames, and there
 * are clients that take the first for all (urllib3 2.0, reqwest before 0.12.13) or fail at the second (httpx):
 * it is for those who ask for it.
 */
const offered: readonly Coding[] = ['gzip', 'zstd'];

/** The coding to answer in, by `Accept-Encoding`. */
export const chooseCoding = (accept: string | undefined): Coding => {
  const weights = new Map<string, number>();
  for (const item of (accept ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const weight = Number(parameters.find((part) => part.startsWith('q='))?.slice(2) ?? 1);
    if (name !== '' && !Number.isNaN(weight)) weights.set(name, weight);
  }
  let best: Coding = 'identity';
  let bestWeight = 0;
  for (const coding of offered) {
    const weight = weights.get(coding) ?? weights.get('*') ?? 0;
    if (weight > bestWeight) {
      best = coding;
      bestWeight = weight;
    }
  }
  return best === 'identity' || bestWeight >= (weights.get('identity') ?? 0) ? best : 'identity';
};

/** Raw bytes of one zstd frame; frames that follow each other are one zstd stream (RFC 8878, 3). */
const frameBytes = 512 * 1024;

const createZstd = (): Transform => {
  let pending: Buffer[] = [];
  let size = 0;
  const takeFrame = async (): Promise<Buffer> => {
    const raw = Buffer.concat(pending);
    pending = [];
    size = 0;
    return compressZstd(raw);
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      pending.push(chunk);
      size += chunk.length;
      if (size < frameBytes) {
        done();
        return;
      }
      takeFrame().then((frame) => done(null, frame), done);
    },
    flush(done) {
      // An empty answer is one empty frame: no frame at all is not zstd.
      takeFrame().then((frame) => done(null, frame), done);
    },
  });
};

/** Both work on the thread pool; level 1, since a download is compressed once and read once. */
export const createEncoder = (coding: Exclude<Coding, 'identity'>): Duplex =>
  coding === 'gzip'
    ? createGzip({ level: constants.Z_BEST_SPEED, chunkSize: 64 * 1024, memLevel: 9 })
    : createZstd();
