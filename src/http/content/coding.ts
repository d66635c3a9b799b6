import { type Duplex, PassThrough, pipeline, type Readable, Transform } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { compressZstd } from '../../lib/zstd.js';

export type Coding = 'identity' | 'gzip' | 'zstd';

/** Raw bytes of one zstd frame. Concatenated frames are one zstd stream (RFC 8878, 3). */
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
      // An empty answer is one empty frame, since zero bytes are not valid zstd.
      takeFrame().then((frame) => done(null, frame), done);
    },
  });
};

/** Both run on the thread pool. Level 1, since a download is compressed once and read once. */
export const createEncoder = (coding: Exclude<Coding, 'identity'>): Duplex =>
  coding === 'gzip'
    ? createGzip({ level: constants.Z_BEST_SPEED, chunkSize: 64 * 1024, memLevel: 9 })
    : createZstd();

/** Compresses the body. An error of the body ends the compressed stream with the same error. */
export const encoded = (body: Readable, coding: Coding): Readable => {
  if (coding === 'identity') return body;
  const encoder = createEncoder(coding);
  const out = new PassThrough({ highWaterMark: 64 * 1024 });
  pipeline(body, encoder, out, (error) => {
    if (error != null) out.destroy(error);
  });
  return out;
};
