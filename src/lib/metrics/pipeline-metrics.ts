import type { Meters } from './meters.js';

/** Seconds; from a small table to a file of many gigabytes. */
const visibleBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600];

/** Metrics of workers and the API about uploads. Labels are words of closed lists and names of this installation. */
const createUploadMetrics = ({ counter, histogram }: Meters) => ({
  visibleSeconds: histogram(
    'tabulary_upload_visible_seconds',
    'Seconds from the acceptance of an upload to its published version. Topic: short (one chunk) or bulk.',
    visibleBuckets,
    ['topic'],
  ),
  ended: counter(
    'tabulary_uploads_ended_total',
    'Uploads that this process ended. Outcome: completed, cancelled or failed; reason: code of the error, or none.',
    ['outcome', 'reason'],
  ),
  chunkRetries: counter(
    'tabulary_ingest_chunk_retries_total',
    'Times that this worker failed to handle a chunk and retried it.',
    ['group'],
  ),
  rebalances: counter(
    'tabulary_consumer_rebalances_total',
    'Times that consumers of this worker had to rejoin their group.',
    ['group'],
  ),
});

/** Metrics that each API process reads from Kafka, PostgreSQL and ClickHouse, so all processes report the same values. */
const createWatchMetrics = ({ gauge }: Meters) => ({
  componentUp: gauge(
    'tabulary_component_up',
    '1 if the component responded to the last check of this API process, otherwise 0.',
    ['component'],
  ),
  probedAt: gauge(
    'tabulary_watch_last_look_timestamp_seconds',
    'When this API process last checked the components, Unix time.',
  ),
  lastBackup: gauge(
    'tabulary_backup_last_success_timestamp_seconds',
    'Unix time of the newest successful backup; 0 if none has succeeded yet, no value before the first attempt.',
  ),
  lagMessages: gauge('tabulary_consumer_lag_messages', 'Messages that the group has not handled yet.', [
    'group',
    'topic',
    'partition',
  ]),
  lagSeconds: gauge(
    'tabulary_consumer_lag_seconds',
    'Age of the first message that the group has not handled yet, to an eighth of it; 0 without one.',
    ['group', 'topic', 'partition'],
  ),
  groupMembers: gauge('tabulary_consumer_group_members', 'Members of the consumer group.', ['group']),
  assignedPartitions: gauge(
    'tabulary_consumer_group_assigned_partitions',
    'Partitions that members of the consumer group have.',
    ['group'],
  ),
  pending: gauge('tabulary_uploads_pending', 'Uploads that are neither completed nor failed, by phase.', [
    'phase',
  ]),
  oldestPendingSeconds: gauge(
    'tabulary_uploads_oldest_pending_seconds',
    'Age of the oldest pending upload of a phase.',
    ['phase'],
  ),
  deadLettersWaiting: gauge('tabulary_dead_letters_waiting', 'Dead letters that are not resolved.'),
  storeTables: gauge(
    'tabulary_store_tables',
    'Tables in ClickHouse. Kind: own (of one dataset), pool (of small ones), running (of uploads), copy (read copies), other.',
    ['kind'],
  ),
  storeParts: gauge('tabulary_store_parts', 'Active parts in ClickHouse, by kind of table.', ['kind']),
  storeRows: gauge(
    'tabulary_store_rows',
    'Rows in ClickHouse, those that wait for their deletion included, by kind of table.',
    ['kind'],
  ),
  storeBytes: gauge(
    'tabulary_store_bytes',
    'Bytes of active parts on the disks of ClickHouse, by kind of table.',
    ['kind'],
  ),
  mostParts: gauge(
    'tabulary_store_parts_per_partition',
    'Active parts in the partition that has the most. ClickHouse slows inserts down, then refuses them.',
  ),
  diskFreeBytes: gauge('tabulary_store_disk_free_bytes', 'Bytes that are free on a disk of ClickHouse.', [
    'disk',
  ]),
  diskBytes: gauge('tabulary_store_disk_bytes', 'Size of a disk of ClickHouse.', ['disk']),
});

/** Metrics of an upload from its acceptance to readable rows. */
export const createPipelineMetrics = (meters: Meters) => ({
  ...createUploadMetrics(meters),
  ...createWatchMetrics(meters),
});

export type PipelineMetrics = ReturnType<typeof createPipelineMetrics>;
