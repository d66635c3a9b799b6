/** Responses of /api/ops. */

export interface Component {
  readonly name: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly error: string | null;
  readonly since: string;
}

export interface PartitionLag {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly lag: number;
  readonly bytes: number | null;
  readonly seconds: number;
}

export interface Group {
  readonly group: string;
  readonly state: string;
  readonly members: number;
  readonly assigned: number;
  readonly assignments: readonly {
    readonly member: string;
    readonly host: string;
    readonly partitions: readonly number[];
  }[];
}

export interface StuckUpload {
  readonly processId: number;
  readonly datasetId: number;
  readonly phase: string;
  readonly attempt: number;
  readonly createdAt: string;
  readonly silentSeconds: number;
  readonly insertedChunks: number;
  readonly chunks: number | null;
  readonly waitsFor: number | null;
}

export interface Upstream {
  readonly provider: string;
  readonly circuit: 'closed' | 'open' | 'testing';
  readonly openUntil: string | null;
  readonly failures: number;
  readonly heldUntil: string | null;
  readonly waiting: number;
  readonly calls: readonly { readonly outcome: string; readonly count: number }[];
  readonly quotas: readonly {
    readonly key: string;
    readonly span: string;
    readonly limit: number;
    readonly left: number;
  }[];
  readonly index: {
    readonly items: number;
    readonly filledAt: string | null;
    readonly failures: number;
    readonly lastError: string | null;
  } | null;
}

export interface State {
  readonly at: string;
  readonly components: readonly Component[];
  readonly consuming: { readonly pausedSince: string | null };
  readonly uploads: {
    readonly pending: readonly { readonly phase: string; readonly count: number }[];
    readonly stuck: readonly StuckUpload[];
    readonly lastDay: {
      readonly completed: number;
      readonly failed: number;
      readonly failures: readonly { readonly code: string; readonly count: number }[];
    };
  };
  readonly log: {
    readonly lag: readonly PartitionLag[];
    readonly groups: readonly Group[];
    readonly deadLetters: number;
  } | null;
  readonly refreshes: {
    readonly datasets: number;
    readonly scheduled: number;
    readonly due: number;
    readonly running: number;
    readonly failing: number;
    readonly failures: readonly {
      readonly datasetId: number;
      readonly provider: string;
      readonly error: string;
      readonly failures: number;
      readonly since: string;
      readonly nextRunAt: string | null;
    }[];
  };
  readonly providers: readonly Upstream[];
}

export interface Sample {
  readonly at: string;
  readonly topics: readonly {
    readonly topic: string;
    readonly messages: number;
    readonly seconds: number;
    readonly assignment: string;
  }[];
  readonly pending: number;
  readonly rows: number;
}

export interface ListedUpload {
  readonly process: number;
  readonly dataset: number;
  readonly status: 'pending' | 'completed' | 'failed';
  readonly phase: string;
  readonly attempt: number;
  readonly mode: string | null;
  readonly createdAt: string;
  readonly inserted: number;
  readonly chunks: number | null;
  readonly error: string | null;
  readonly name: string;
  readonly account: string;
}

export interface UploadDetails extends ListedUpload {
  readonly receivedAt: string;
  readonly sealedAt: string | null;
  readonly completedAt: string | null;
  readonly leaseUntil: string | null;
  readonly version: number | null;
  readonly rows: number;
  readonly rejectedRows: number;
  readonly bytes: number;
  readonly requestId: string;
  readonly message: string | null;
}

export interface Chunk {
  readonly number: number;
  readonly rows: number;
  readonly bytes: number;
  readonly firstLine: number;
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly attempt: number;
}

export interface DeadLetter {
  readonly id: number;
  readonly origin: { readonly topic: string; readonly partition: number; readonly offset: string };
  readonly reason: string;
  readonly bytes: number;
  readonly recordedAt: string;
}

export interface DeadLetterDetails extends DeadLetter {
  readonly message: {
    readonly key: string | null;
    readonly headers: Readonly<Record<string, string>>;
    readonly hex: string;
    readonly text: string;
  } | null;
}

export interface Job {
  readonly name: string;
  readonly subject: string;
  readonly state: 'waiting' | 'running';
  readonly nextRunAt: string | null;
  readonly lastRunAt: string | null;
  readonly lastMs: number | null;
  readonly failure: string | null;
  readonly failures: number;
  readonly holder: string | null;
  readonly runningSince: string | null;
  readonly summary: string;
}

interface Table {
  readonly table: string;
  readonly parts: number;
  readonly rows: number;
  readonly bytes: number;
  readonly mostParts: number;
}

export interface Stores {
  readonly kinds: readonly {
    readonly kind: string;
    readonly tables: number;
    readonly parts: number;
    readonly rows: number;
    readonly bytes: number;
  }[];
  readonly mostParts: number;
  readonly disks: readonly { readonly disk: string; readonly freeBytes: number; readonly bytes: number }[];
  /** Only for a cluster. */
  readonly shards?: readonly {
    readonly shard: number;
    readonly state: 'in use' | 'away' | 'not configured';
    readonly error: string | null;
    readonly weight: number;
    readonly stores: number;
    readonly bytes: number | null;
    readonly rows: number | null;
    readonly parts: number | null;
    readonly freeBytes: number | null;
  }[];
  readonly pools: readonly Table[];
  readonly largest: readonly (Table & {
    readonly datasetId: number | null;
    readonly name: string | null;
    readonly owner: string | null;
    readonly versions: number;
  })[];
}

export interface AuditEvent {
  readonly id: number;
  readonly at: string;
  readonly actor: {
    readonly kind: 'account' | 'command' | 'service';
    readonly accountId: number | null;
    readonly name: string | null;
    readonly address: string | null;
    readonly requestId: string | null;
  };
  readonly action: string;
  readonly target: { readonly kind: string; readonly id: number | null; readonly name: string | null };
  readonly details: Readonly<Record<string, unknown>>;
}
