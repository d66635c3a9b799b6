import type { ClickHouseSettings } from '@clickhouse/client';

export type EngineKind = 'MergeTree' | 'ReplicatedMergeTree' | 'SharedMergeTree';

/** Table engine of the servers, and the settings that statements need for it. Read once, when the servers are opened. */
export interface Engine {
  readonly kind: EngineKind;
  /** Name in `remote_servers`; undefined: one server. */
  readonly cluster?: string;
  /** Table setting that limits how many deduplication tokens a table remembers. */
  readonly logSetting: 'non_replicated_deduplication_window' | 'replicated_deduplication_window';
  /** Sent with every statement that inserts rows or changes tables: it returns once most replicas have executed it. */
  readonly insertSettings: ClickHouseSettings;
  /** Sent with changes of columns and with deletes: they return once no replica has the previous state. */
  readonly waitSettings: ClickHouseSettings;
  /** Sent with every read. */
  readonly readSettings: Readonly<Record<string, string | number>>;
  /** Table settings that this release of ClickHouse lacks. */
  readonly lacks: readonly string[];
}

const waits = (sync: '1' | '2' | '3'): ClickHouseSettings => ({
  alter_sync: sync,
  mutations_sync: sync,
  lightweight_deletes_sync: sync,
});

const byKind: Readonly<Record<EngineKind, Omit<Engine, 'kind' | 'cluster' | 'lacks'>>> = {
  MergeTree: {
    logSetting: 'non_replicated_deduplication_window',
    insertSettings: {},
    waitSettings: waits('1'),
    readSettings: {},
  },
  ReplicatedMergeTree: {
    logSetting: 'replicated_deduplication_window',
    insertSettings: {
      insert_quorum: 'auto',
      insert_quorum_parallel: 1,
      insert_quorum_timeout: 60_000,
      // Missing in the vendor's type.
      distributed_ddl_output_mode: 'throw_only_active' as 'throw',
      database_replicated_enforce_synchronous_settings: 1,
    },
    waitSettings: waits('2'),
    readSettings: {},
  },
  // When an insert returns, it is durable in shared storage; 3 waits for the replicas that are up.
  SharedMergeTree: {
    logSetting: 'replicated_deduplication_window',
    insertSettings: {},
    waitSettings: waits('3'),
    readSettings: { select_sequential_consistency: 1 },
  },
};

export const createEngine = (
  kind: EngineKind,
  { cluster, lacks = [] }: { readonly cluster?: string | undefined; readonly lacks?: readonly string[] } = {},
): Engine => ({ kind, ...byKind[kind], ...(cluster === undefined ? {} : { cluster }), lacks });

/** Engine of a server that is not part of a cluster. */
export const mergeTree = createEngine('MergeTree');
