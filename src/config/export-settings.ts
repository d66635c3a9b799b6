import { z } from 'zod';
import { flag, integer, list, MiB, optional, setting, text, url } from './setting.js';

const backupKeys = list.refine(
  (keys) => keys.length > 0 && keys.every((key) => key.length >= 32),
  'must be a comma-separated list of keys of at least 32 characters each',
);

/** Variables of whole files and their links, and of backups. */
export const exportSettings = {
  exportsUrl: setting(
    'EXPORTS_URL',
    optional(url('s3', 'file')),
    undefined,
    'Location of export files: file:///folder or s3://bucket/prefix; default: DATA_DIR/exports.',
  ),
  exportsMaxAgeMs: setting(
    'EXPORTS_MAX_AGE_MS',
    integer(60_000),
    String(7 * 24 * 60 * 60 * 1000),
    'Milliseconds after which an export file is removed; it is written again on request.',
  ),
  exportsMaxBytes: setting(
    'EXPORTS_MAX_BYTES',
    integer(1),
    String(50 * 1024 * MiB),
    'Bytes that export files may use in total; the least recently used are removed first. An account may use a quarter of it, and no more than its plan lets it store.',
  ),
  exportsIntervalMs: setting(
    'EXPORTS_INTERVAL_MS',
    integer(100),
    '60000',
    'Milliseconds between checks for export files that are no longer needed.',
  ),
  exportsAheadBytes: setting(
    'EXPORTS_AHEAD_BYTES',
    integer(0),
    String(32 * MiB),
    'Largest version whose CSV and Parquet files are made right after it was published; 0: files are made on request.',
  ),
  exportsDirectSeconds: setting(
    'EXPORTS_DIRECT_SECONDS',
    integer(0, 3_600),
    '0',
    'Seconds for which addresses in the bucket are valid that links redirect to; 0: the API sends the files itself, so that access ends at once and bytes are counted exactly.',
  ),
  s3Endpoint: setting(
    'S3_ENDPOINT',
    optional(url('http', 'https')),
    undefined,
    'Address of an S3-compatible service such as Garage; default: AWS.',
  ),
  s3PublicEndpoint: setting(
    'S3_PUBLIC_ENDPOINT',
    optional(url('http', 'https')),
    undefined,
    'Address under which clients reach that service, for EXPORTS_DIRECT_SECONDS; default: S3_ENDPOINT.',
  ),
  s3Region: setting('S3_REGION', text, 'us-east-1', 'Region of the bucket.'),
  s3PathStyle: setting(
    'S3_PATH_STYLE',
    flag,
    'false',
    'Put the bucket into the path instead of the host name; most services other than AWS need it.',
  ),
  s3AccessKeyId: setting(
    'S3_ACCESS_KEY_ID',
    optional(text),
    undefined,
    'Access key of that service; default: the credentials of the machine.',
  ),
  s3SecretAccessKey: setting(
    'S3_SECRET_ACCESS_KEY',
    optional(text),
    undefined,
    'Secret of S3_ACCESS_KEY_ID.',
    { secret: true },
  ),
  s3ConnectTimeoutMs: setting(
    'S3_CONNECT_TIMEOUT_MS',
    integer(100),
    '5000',
    'Milliseconds for a connection to that service.',
  ),
  s3TimeoutMs: setting(
    'S3_TIMEOUT_MS',
    integer(1_000),
    '30000',
    'Milliseconds without a byte from that service after which a request fails.',
  ),
  backupKey: setting(
    'BACKUP_KEY',
    optional(backupKeys),
    undefined,
    'Comma-separated secrets of at least 32 characters that sign backups; the first signs, a backup signed by any of them is accepted. When set, a restore refuses a backup that is not signed.',
    { secret: true },
  ),
  linkSecret: setting(
    'LINK_SECRET',
    optional(z.string().min(32, 'must have at least 32 characters')),
    undefined,
    'Secret that signs download links; made and kept in PostgreSQL when absent.',
    { secret: true },
  ),
  linkTtlSeconds: setting(
    'LINK_TTL_SECONDS',
    integer(10, 86_400),
    '300',
    'Seconds a download link is valid.',
  ),
} as const;
