import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { badConfiguration, unavailable } from '../../lib/errors.js';
import type { ObjectState, ObjectStorage } from './object-storage.js';

export interface S3StorageOptions {
  readonly bucket: string;
  /** Prefix of every key, without a slash at either end; empty: none. */
  readonly prefix: string;
  readonly region: string;
  /** Undefined: AWS. */
  readonly endpoint?: string | undefined;
  /** Address of the storage for clients, if it differs; links are signed for this host. */
  readonly publicEndpoint?: string | undefined;
  /** True: `endpoint/bucket/key` instead of `bucket.endpoint/key`. */
  readonly pathStyle: boolean;
  /** Connection timeout in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Milliseconds without a byte of an answer. */
  readonly timeoutMs: number;
  /** Undefined: credentials of the machine or the pod. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

export interface S3Storage extends ObjectStorage {
  close(): void;
}

/** An object has at most 10,000 parts. Parts of this size allow 160 GiB; larger files have larger parts. */
const minPartBytes = 16 * 1024 * 1024;
const maxParts = 10_000;
const partsInFlight = 4;

const isMissing = (error: unknown): boolean =>
  error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404;

/** Parses bucket and prefix of `s3://bucket/prefix`. */
export const parseS3Url = (url: string): { bucket: string; prefix: string } => {
  const { hostname, pathname } = new URL(url);
  return { bucket: hostname, prefix: decodeURIComponent(pathname).replace(/^\/+|\/+$/g, '') };
};

/** Credentials are set as a pair; without them the client uses those of the machine. @throws AppError if one of them is missing. */
export const s3Credentials = (
  accessKeyId: string | undefined,
  secretAccessKey: string | undefined,
): S3StorageOptions['credentials'] => {
  if (accessKeyId !== undefined && secretAccessKey !== undefined) return { accessKeyId, secretAccessKey };
  if (accessKeyId === secretAccessKey) return undefined;
  throw badConfiguration('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are set together or not at all');
};

/**
 * True for an error of the request or its credentials, which is permanent. Any other error means that the storage is down or overloaded.
 */
const isRefusal = (error: unknown): boolean => {
  if (!(error instanceof S3ServiceException)) return false;
  const status = error.$metadata.httpStatusCode ?? 0;
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
};

/** The error of a call, for the client that requested a file. */
const away = (error: unknown): unknown =>
  isRefusal(error)
    ? error
    : unavailable('file_store_unavailable', 'The storage of files is not responding at the moment.', {
        cause: error,
        retryAfterSeconds: 5,
      });

const createClient = (options: S3StorageOptions, endpoint: string | undefined): S3Client =>
  new S3Client({
    region: options.region,
    forcePathStyle: options.pathStyle,
    // Limits the wait for a server that does not respond.
    requestHandler: { connectionTimeout: options.connectTimeoutMs, socketTimeout: options.timeoutMs },
    // Many S3-compatible stores refuse the checksums that newer clients add by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(options.credentials === undefined ? {} : { credentials: options.credentials }),
  });

/** Most attempts to upload a file whose object is then missing or has another size. */
const maxAdoptAttempts = 3;

/** Stores objects in a bucket of S3-compatible object storage. A multipart upload becomes visible whole or not at all. */
export const createS3Storage = (options: S3StorageOptions): S3Storage => {
  const { bucket: Bucket, prefix } = options;
  const client = createClient(options, options.endpoint);
  const linkClient =
    options.publicEndpoint === undefined ? client : createClient(options, options.publicEndpoint);
  const start = prefix === '' ? '' : `${prefix}/`;
  const at = (key: string) => ({ Bucket, Key: `${start}${key}` });

  const statOf = async (key: string): Promise<ObjectState | undefined> => {
    try {
      const { ContentLength, LastModified, ETag } = await client.send(new HeadObjectCommand(at(key)));
      const storedAtMs = LastModified?.getTime() ?? 0;
      return { size: ContentLength ?? 0, storedAtMs, tag: ETag ?? String(storedAtMs) };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw away(error);
    }
  };

  return {
    stat: statOf,
    async read(key, range) {
      const Range = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
      try {
        const { Body } = await client.send(new GetObjectCommand({ ...at(key), ...Range }));
        // In Node the body is always a stream.
        return Body as Readable;
      } catch (error) {
        throw away(error);
      }
    },
    async adopt(key, path) {
      const { size } = await stat(path);
      for (let attempt = 1; ; attempt += 1) {
        const upload = new Upload({
          client,
          params: { ...at(key), Body: createReadStream(path) },
          partSize: Math.max(minPartBytes, Math.ceil(size / maxParts)),
          queueSize: partsInFlight,
          leavePartsOnError: false,
        });
        await upload.done();
        const stored = await statOf(key);
        if (stored?.size === size) break;
        // Another process may have replaced or removed the object since.
        if (attempt < maxAdoptAttempts) continue;
        await client.send(new DeleteObjectCommand(at(key)));
        throw new Error(`the object storage has ${stored?.size ?? 'none'} of ${size} bytes of ${key}`);
      }
      await rm(path, { force: true });
    },
    async delete(key) {
      await client.send(new DeleteObjectCommand(at(key)));
    },
    async *list() {
      let ContinuationToken: string | undefined;
      do {
        const page = await client.send(
          new ListObjectsV2Command({
            Bucket,
            Prefix: start,
            ...(ContinuationToken && { ContinuationToken }),
          }),
        );
        for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
          yield { key: Key.slice(start.length), size: Size, storedAtMs: LastModified?.getTime() ?? 0 };
        }
        ContinuationToken = page.NextContinuationToken;
      } while (ContinuationToken !== undefined);
    },
    async link(key, { expiresSeconds, contentType, disposition }) {
      const command = new GetObjectCommand({
        ...at(key),
        ResponseContentType: contentType,
        ResponseContentDisposition: disposition,
      });
      return getSignedUrl(linkClient, command, { expiresIn: expiresSeconds });
    },
    close() {
      client.destroy();
      linkClient.destroy();
    },
  };
};
