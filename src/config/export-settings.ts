import { z } from 'zod';
import { age, flag, integer, list, MiB, milliseconds, optional, setting, text, url } from './setting.js';

const backupKeys = list.refine(
  (keys) => keys.length > 0 && keys.every((key) => key.length >= 32),
  'must be a comma-separated list of keys of at least 32 characters each',
);

/** Settings of export files, download links and backups. */
export const exportSettings = {
  exportsUrl: setting(
    'EXPORTS_URL',
    optional(url('s3', 'file')),
    undefined,
    'Location of export files: file:///folder or s3://bucket/prefix; default: DATA_DIR/exports.',
  ),
  exportsMaxAgeMs: setting(
    'EXPORTS_MAX_AGE_MS',
    age(60_000),
    String(7 * 24 * 60 * 60 * 1000),
    'Milliseconds after which an export file is deleted; it is written again on request.',
  ),
  exportsMaxBytes: setting(
    'EXPORTS_MAX_BYTES',
    integer(1),
    String(50 * 1024 * MiB),
    'Most bytes of all export files; the least recently used are deleted first. One account may use a quarter of it, but no more than its plan lets it store.',
  ),
  exportsIntervalMs: setting(
    'EXPORTS_INTERVAL_MS',
    milliseconds(100),
    '60000',
    'Milliseconds between checks for unneeded export files.',
  ),
  exportsAheadBytes: setting(
    'EXPORTS_AHEAD_BYTES',
    integer(0),
    String(32 * MiB),
    'Largest version, in bytes, whose CSV and Parquet files are written right after it is published; 0: files are written on request.',
  ),
  exportsDirectSeconds: setting(
    'EXPORTS_DIRECT_SECONDS',
    integer(0, 3_600),
    '0',
    'Seconds for which the bucket addresses that links redirect to are valid; 0: the API sends the files itself, so that revoked access ends at once and bytes are counted exactly.',
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
    'Address of that service for clients, used with EXPORTS_DIRECT_SECONDS; default: S3_ENDPOINT.',
  ),
  s3Region: setting('S3_REGION', text, 'us-east-1', 'Region of the bucket.'),
  s3PathStyle: setting(
    'S3_PATH_STYLE',
    flag,
    'false',
    'Put the bucket in the path instead of the host name; most services other than AWS need it.',
  ),
  s3AccessKeyId: setting(
    'S3_ACCESS_KEY_ID',
    optional(text),
    undefined,
    'Access key for that service; default: the credentials of the machine.',
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
    milliseconds(100),
    '5000',
    'Timeout in milliseconds for connecting to that service.',
  ),
  s3TimeoutMs: setting(
    'S3_TIMEOUT_MS',
    milliseconds(1_000),
    '30000',
    'Milliseconds without data from that service after which a request fails.',
  ),
  backupKey: setting(
    'BACKUP_KEY',
    optional(backupKeys),
    undefined,
    'Comma-separated secrets of at least 32 characters that sign backups; the first signs, all of them verify. If set, a restore refuses an unsigned backup.',
    { secret: true },
  ),
  linkSecret: setting(
    'LINK_SECRET',
    optional(z.string().min(32, 'must have at least 32 characters')),
    undefined,
    'Secret that signs download links; if absent, one is generated and stored in PostgreSQL.',
    { secret: true },
  ),
  linkTtlSeconds: setting(
    'LINK_TTL_SECONDS',
    integer(10, 86_400),
    '300',
    'Seconds for which a download link is valid.',
  ),
} as const;
