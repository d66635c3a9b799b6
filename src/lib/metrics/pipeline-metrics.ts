import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Seconds; from a small table to a file of many gigabytes. */
const visibleBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600];

/** Metrics of workers and the API about uploads. Labels are words of closed lists and names of this installation. */
const createUploadMetrics = (registers: Registry[]) => ({
  visibleSeconds: new Histogram({
    name: 'tabulary_upload_visible_seconds',
    help: 'Seconds from the acceptance of an upload to its published version. Topic: short (one chunk) or bulk.',
    labelNames: ['topic'] as const,
    buckets: visibleBuckets,
    registers,
  }),
  /** Outcome: completed, cancelled or failed; reason: the code of the error, `none` when it was completed. */
  ended: new Counter({
    name: 'tabulary_uploads_ended_total',
    help: 'Uploads that this process ended. Outcome: completed, cancelled or failed; reason: code of the error, or none.',
    labelNames: ['outcome', 'reason'] as const,
    registers,
  }),
  chunkRetries: new Counter({
    name: 'tabulary_ingest_chunk_retries_total',
    help: 'Times that this worker failed to handle a chunk and retried it.',
    labelNames: ['group'] as const,
    registers,
  }),
  rebalances: new Counter({
    name: 'tabulary_consumer_rebalances_total',
    help: 'Times that consumers of this worker had to rejoin their group.',
    labelNames: ['group'] as const,
    registers,
  }),
});

/** Metrics that each API process reads from Kafka, PostgreSQL and ClickHouse, so all processes report the same values. */
const createWatchMetrics = (registers: Registry[]) => ({
  componentUp: new Gauge({
    name: 'tabulary_component_up',
    help: '1 if the component responded to the last check of this API process, otherwise 0.',
    labelNames: ['component'] as const,
    registers,
  }),
  probedAt: new Gauge({
    name: 'tabulary_watch_last_look_timestamp_seconds',
    help: 'When this API process last checked the components, Unix time.',
    registers,
  }),
  lastBackup: new Gauge({
    name: 'tabulary_backup_last_success_timestamp_seconds',
    help: 'Unix time of the newest successful backup; 0 if none has succeeded yet, no value before the first attempt.',
    labelNames: [] as const,
    registers,
  }),
  lagMessages: new Gauge({
    name: 'tabulary_consumer_lag_messages',
    help: 'Messages that the group has not handled yet.',
    labelNames: ['group', 'topic', 'partition'] as const,
    registers,
  }),
  lagSeconds: new Gauge({
    name: 'tabulary_consumer_lag_seconds',
    help: 'Age of the first message that the group has not handled yet, to an eighth of it; 0 without one.',
    labelNames: ['group', 'topic', 'partition'] as const,
    registers,
  }),
  groupMembers: new Gauge({
    name: 'tabulary_consumer_group_members',
    help: 'Members of the consumer group.',
    labelNames: ['group'] as const,
    registers,
  }),
  assignedPartitions: new Gauge({
    name: 'tabulary_consumer_group_assigned_partitions',
    help: 'Partitions that members of the consumer group have.',
    labelNames: ['group'] as const,
    registers,
  }),
  pending: new Gauge({
    name: 'tabulary_uploads_pending',
    help: 'Uploads that are neither completed nor failed, by phase.',
    labelNames: ['phase'] as const,
    registers,
  }),
  oldestPendingSeconds: new Gauge({
    name: 'tabulary_uploads_oldest_pending_seconds',
    help: 'Age of the oldest pending upload of a phase.',
    labelNames: ['phase'] as const,
    registers,
  }),
  deadLettersWaiting: new Gauge({
    name: 'tabulary_dead_letters_waiting',
    help: 'Dead letters that are not resolved.',
    registers,
  }),
  storeTables: new Gauge({
    name: 'tabulary_store_tables',
    help: 'Tables in ClickHouse. Kind: own (of one dataset), pool (of small ones), running (of uploads), copy (read copies), other.',
    labelNames: ['kind'] as const,
    registers,
  }),
  storeParts: new Gauge({
    name: 'tabulary_store_parts',
    help: 'Active parts in ClickHouse, by kind of table.',
    labelNames: ['kind'] as const,
    registers,
  }),
  storeRows: new Gauge({
    name: 'tabulary_store_rows',
    help: 'Rows in ClickHouse, those that wait for their deletion included, by kind of table.',
    labelNames: ['kind'] as const,
    registers,
  }),
  storeBytes: new Gauge({
    name: 'tabulary_store_bytes',
    help: 'Bytes of active parts on the disks of ClickHouse, by kind of table.',
    labelNames: ['kind'] as const,
    registers,
  }),
  mostParts: new Gauge({
    name: 'tabulary_store_parts_per_partition',
    help: 'Active parts in the partition that has the most. ClickHouse slows inserts down, then refuses them.',
    registers,
  }),
  diskFreeBytes: new Gauge({
    name: 'tabulary_store_disk_free_bytes',
    help: 'Bytes that are free on a disk of ClickHouse.',
    labelNames: ['disk'] as const,
    registers,
  }),
  diskBytes: new Gauge({
    name: 'tabulary_store_disk_bytes',
    help: 'Size of a disk of ClickHouse.',
    labelNames: ['disk'] as const,
    registers,
  }),
});

/** Metrics of an upload from its acceptance to readable rows. */
export const createPipelineMetrics = (registers: Registry[]) => ({
  ...createUploadMetrics(registers),
  ...createWatchMetrics(registers),
});

export type PipelineMetrics = ReturnType<typeof createPipelineMetrics>;
