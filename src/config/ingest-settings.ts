import { integer, KiB, MiB, setting } from './setting.js';

/** Variables of uploads: from the bytes that come in to the segments that they become. */
export const ingestSettings = {
  firstChunkBytes: setting(
    'FIRST_CHUNK_BYTES',
    integer(64, 16 * MiB),
    String(4 * MiB),
    'Most raw bytes of the first chunk of an upload: types are first inferred from it.',
  ),
  chunkBytes: setting(
    'CHUNK_BYTES',
    integer(64, 64 * MiB),
    String(16 * MiB),
    'Most raw bytes of a later chunk; one chunk is one message and one insert.',
  ),
  maxMessageBytes: setting(
    'MAX_MESSAGE_BYTES',
    integer(64 * KiB, 128 * MiB),
    String(24 * MiB),
    'Largest Kafka message; a chunk that compresses badly is cut smaller.',
  ),
  maxRecordBytes: setting(
    'MAX_RECORD_BYTES',
    integer(1 * KiB, 16 * MiB),
    String(16 * MiB),
    'Largest single record of a CSV file.',
  ),
  uploadMaxBytes: setting(
    'UPLOAD_MAX_BYTES',
    integer(1),
    String(256 * 1024 * MiB),
    'Largest upload, uncompressed.',
  ),
  uploadMaxCompressedBytes: setting(
    'UPLOAD_MAX_COMPRESSED_BYTES',
    integer(1),
    String(64 * 1024 * MiB),
    'Largest upload as it is sent.',
  ),
  uploadMaxRatio: setting(
    'UPLOAD_MAX_RATIO',
    integer(10),
    '2000',
    'Largest ratio of uncompressed to compressed bytes of a gzip upload (above 64 MiB uncompressed).',
  ),
  uploadIdleMs: setting(
    'UPLOAD_IDLE_MS',
    integer(1000),
    '60000',
    'Milliseconds without a byte after which an upload is broken off.',
  ),
  uploadMinBytesPerSecond: setting(
    'UPLOAD_MIN_BYTES_PER_SECOND',
    integer(0),
    '1024',
    'Slowest average rate of an upload, looked at after the first minute; 0 switches it off.',
  ),
  maxUploadsInFlight: setting(
    'MAX_UPLOADS_IN_FLIGHT',
    integer(1),
    '32',
    'Uploads that one API process receives at a time; more wait.',
  ),
  insertsInFlight: setting(
    'INSERTS_IN_FLIGHT',
    integer(1, 64),
    '2',
    'Bulk chunks that one worker inserts at a time.',
  ),
  sendPatienceMs: setting(
    'SEND_PATIENCE_MS',
    integer(1000),
    '300000',
    'Milliseconds for which a chunk is tried to be handed to a Kafka that does not answer.',
  ),
  backlogLookMs: setting(
    'BACKLOG_LOOK_MS',
    integer(50),
    '2000',
    'Milliseconds between two looks at how much of what Kafka may keep is not stored yet.',
  ),
  receiveTimeoutMs: setting(
    'RECEIVE_TIMEOUT_MS',
    integer(1000),
    '60000',
    'Milliseconds without a sign of life of the receiving API after which an unfinished upload is failed.',
  ),
  replayLeaseMs: setting(
    'REPLAY_LEASE_MS',
    integer(1000),
    '30000',
    'Milliseconds after which the replay of a silent worker is taken over.',
  ),
  sweepIntervalMs: setting(
    'SWEEP_INTERVAL_MS',
    integer(100),
    '10000',
    'Milliseconds between two looks for what a crash left behind.',
  ),
  storageSweepIntervalMs: setting(
    'STORAGE_SWEEP_INTERVAL_MS',
    integer(100),
    String(60 * 60 * 1000),
    'Milliseconds between two comparisons of all that is stored: retention, and rows that belong to nothing.',
  ),
  segmentGraceMs: setting(
    'SEGMENT_GRACE_MS',
    integer(0),
    String(15 * 60 * 1000),
    'Milliseconds that rows stay after no version has them any more, for downloads that began before.',
  ),
  compactionIntervalMs: setting(
    'COMPACTION_INTERVAL_MS',
    integer(100),
    '60000',
    'Milliseconds between two looks for datasets of many small segments.',
  ),
  compactionMinSegments: setting(
    'COMPACTION_MIN_SEGMENTS',
    integer(0, 1000),
    '10',
    'Fewest neighbouring segments that are joined into one; 0 or 1: none are.',
  ),
  compactionMaxBytes: setting(
    'COMPACTION_MAX_BYTES',
    integer(1),
    String(4 * 1024 * MiB),
    'Largest segment that joining makes, in raw bytes.',
  ),
} as const;
