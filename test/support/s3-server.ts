import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3StorageOptions } from '../../src/storage/objects/s3-storage.js';

/** Types of the used part of `@20minutes/s3rver`, which has none. */
interface S3Rver {
  run(): Promise<{ port: number }>;
  close(): Promise<void>;
}
type S3RverClass = new (options: Readonly<Record<string, unknown>>) => S3Rver;

export interface S3Server {
  /** Bucket of this server. */
  readonly options: Omit<S3StorageOptions, 'prefix'>;
  /** Same bucket on a server that may accept wrong signatures. */
  readonly lenient: Omit<S3StorageOptions, 'prefix'>;
  close(): Promise<void>;
}

const timeouts = { connectTimeoutMs: 5_000, timeoutMs: 30_000 };

/** The only credentials that s3rver accepts. */
const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

/** External store: S3_TEST_ENDPOINT, S3_TEST_BUCKET (must exist), S3_TEST_KEY=id:secret. */
const runningServer = (): S3Server | undefined => {
  const { S3_TEST_ENDPOINT: endpoint, S3_TEST_BUCKET: bucket = '', S3_TEST_KEY: key = ':' } = process.env;
  if (!endpoint) return undefined;
  const [accessKeyId = '', secretAccessKey = ''] = key.split(':');
  const options = {
    bucket,
    endpoint,
    region: 'us-east-1',
    pathStyle: true,
    ...timeouts,
    credentials: { accessKeyId, secretAccessKey },
  };
  return { options, lenient: options, close: async () => undefined };
};

/**
 * Starts an S3 server in this process. Its signature check is wrong for lists (`/bucket` instead of `/bucket/`) and
 * for apostrophes in links (not escaped); for those, a second server on the same folder accepts any signature.
 */
export const startS3Server = async (): Promise<S3Server> => {
  const running = runningServer();
  if (running !== undefined) return running;
  const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as S3RverClass;
  const directory = await mkdtemp(join(tmpdir(), 's3-'));
  const bucket = 'exports';
  const start = async (more: Readonly<Record<string, unknown>>) => {
    const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, ...more });
    const { port } = await server.run();
    const endpoint = `http://127.0.0.1:${port}`;
    return {
      server,
      options: { bucket, endpoint, region: 'us-east-1', pathStyle: true, ...timeouts, credentials },
    };
  };
  const strict = await start({ configureBuckets: [{ name: bucket }] });
  const lenient = await start({ allowMismatchedSignatures: true });
  return {
    options: strict.options,
    lenient: lenient.options,
    async close() {
      await strict.server.close();
      await lenient.server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
