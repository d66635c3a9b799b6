/**
 * The alerts of deploy/prometheus that this service can judge by itself, from the health probe of an API process. A test
 * compares names, severities, limits, durations and links with the rules that Prometheus gets.
 */
import type { UpstreamState } from '../gateway/gateway-state.js';
import type { AlertState } from '../http/routes/ops-schema.js';
import type { KeptSample } from '../storage/postgres/ops-samples.js';
import type { Health } from './health-probe.js';

/** Facts for judging alerts. */
export interface AlertFacts {
  readonly health: Health;
  readonly providers: readonly Pick<UpstreamState, 'provider' | 'quotas'>[];
  /** Share of what Kafka may keep that is not stored yet, in the fullest partition of each lane, as this process last saw it. */
  readonly backlogRatio: ReadonlyMap<string, number>;
  /** Disk on which this process writes export files; undefined: not measured yet. */
  readonly exportDisk: { readonly freeBytes: number; readonly bytes: number } | undefined;
  /** Reasons for which uploads failed in the last 15 minutes. */
  readonly failureReasons: readonly string[];
}

export interface AlertRule {
  readonly name: string;
  readonly severity: AlertState['severity'];
  /** The condition has to hold for so long. */
  readonly forMinutes: number;
  /** The number that its expression compares with. */
  readonly limit: number;
  /** Section of the run-book. */
  readonly runbook: string;
  /** The alert in words; undefined: none. */
  readonly judge: (facts: AlertFacts) => string | undefined;
}

/** Reasons that are ours, not the file’s. */
export const ourReasons = [
  'store_refused',
  'chunk_unusable',
  'upload_expired',
  'chunks_expired',
  'miscounted',
  'upload_abandoned',
] as const;

const listed = (texts: readonly string[]): string | undefined =>
  texts.length === 0 ? undefined : texts.join('; ');

const lagLimit = 300;
const pendingLimit = 1_800;
const diskLimit = 0.15;
const partsLimit = 700;
const backlogLimit = 0.33;

export const alertRules: readonly AlertRule[] = [
  {
    name: 'TabularyComponentDown',
    severity: 'critical',
    forMinutes: 2,
    limit: 0,
    runbook: 'component-down',
    judge: ({ health }) =>
      listed(
        health.components
          .filter(({ ok }) => !ok)
          .map(({ name, error }) => `${name} does not answer${error === null ? '' : `: ${error}`}`),
      ),
  },
  {
    name: 'TabularyNoWorker',
    severity: 'critical',
    forMinutes: 2,
    limit: 0,
    runbook: 'no-worker',
    judge: ({ health }) =>
      listed(
        (health.log?.groups ?? [])
          .filter(({ members }) => members === 0)
          .map(({ group }) => `No worker reads ${group}`),
      ),
  },
  {
    name: 'TabularyDeadLetters',
    severity: 'critical',
    forMinutes: 1,
    limit: 0,
    runbook: 'dead-letters-wait',
    judge: ({ health }) =>
      (health.uploads?.deadLetters ?? 0) > 0
        ? `Dead letters that wait for a decision: ${health.uploads?.deadLetters}`
        : undefined,
  },
  {
    name: 'TabularyConsumerLag',
    severity: 'warning',
    forMinutes: 5,
    limit: lagLimit,
    runbook: 'consumer-lag',
    judge: ({ health }) => {
      const behind = (health.log?.lag ?? []).filter(({ seconds }) => seconds > lagLimit);
      const [worst] = [...behind].sort((a, b) => b.seconds - a.seconds);
      return worst && `${worst.group} is ${worst.seconds} s behind in partition ${worst.partition}`;
    },
  },
  {
    name: 'TabularyOldestPendingUpload',
    severity: 'warning',
    forMinutes: 5,
    limit: pendingLimit,
    runbook: 'oldest-pending-upload',
    judge: ({ health }) => {
      const old = (health.uploads?.pending ?? []).find(
        ({ phase, oldestSeconds }) => phase !== 'receive' && oldestSeconds > pendingLimit,
      );
      return old && `An upload has been in phase ${old.phase} for ${Math.floor(old.oldestSeconds / 60)} min`;
    },
  },
  {
    name: 'TabularyUploadsFail',
    severity: 'warning',
    forMinutes: 0,
    limit: 0,
    runbook: 'uploads-fail',
    judge: ({ failureReasons }) => {
      const ours = ourReasons.filter((reason) => failureReasons.includes(reason));
      return ours.length === 0 ? undefined : `Uploads fail: ${ours.join(', ')}`;
    },
  },
  {
    name: 'TabularyBacklogGrows',
    severity: 'warning',
    forMinutes: 5,
    limit: backlogLimit,
    runbook: 'backlog-grows',
    judge: ({ backlogRatio }) =>
      listed(
        [...backlogRatio]
          .filter(([, share]) => share > backlogLimit)
          .map(
            ([lane, share]) =>
              `${Math.round(100 * share)} % of what Kafka may keep of ${lane} is not stored yet`,
          ),
      ),
  },
  {
    name: 'TabularyDiskFull',
    severity: 'warning',
    forMinutes: 10,
    limit: diskLimit,
    runbook: 'disk-full',
    judge: ({ health }) =>
      listed(
        (health.sizes?.disks ?? [])
          .filter(({ freeBytes, bytes }) => freeBytes / bytes < diskLimit)
          .map(
            ({ disk, freeBytes, bytes }) =>
              `Disk ${disk} has ${((100 * freeBytes) / bytes).toFixed(0)} % left`,
          ),
      ),
  },
  {
    name: 'TabularyExportDiskFull',
    severity: 'warning',
    forMinutes: 10,
    limit: diskLimit,
    runbook: 'export-disk-full',
    judge: ({ exportDisk: disk }) =>
      disk !== undefined && disk.freeBytes / disk.bytes < diskLimit
        ? `The disk of export files has ${((100 * disk.freeBytes) / disk.bytes).toFixed(0)} % left`
        : undefined,
  },
  {
    name: 'TabularyManyParts',
    severity: 'warning',
    forMinutes: 10,
    limit: partsLimit,
    runbook: 'many-parts',
    judge: ({ health }) =>
      (health.sizes?.mostParts ?? 0) > partsLimit
        ? `A partition has ${health.sizes?.mostParts} parts`
        : undefined,
  },
  {
    name: 'TabularyQuotaUsedUp',
    severity: 'warning',
    forMinutes: 5,
    limit: 0,
    runbook: 'quota-used-up',
    judge: ({ providers }) =>
      listed(
        providers.flatMap(({ provider, quotas }) =>
          quotas
            .filter(({ left }) => left <= 0)
            .map(({ span }) => `The quota of ${provider} for this ${span} is used up`),
        ),
      ),
  },
];

/** Alerts that counters of all processes together tell: only Prometheus has these. */
export const alertsOfPrometheus = [
  'TabularySegmentsMiscounted',
  'TabularyAnswersBroken',
  'TabularyRequestsFail',
  'TabularyVersionSkew',
  'TabularyUploadsRefused',
  'TabularyUpstreamChanged',
  'TabularyEventLoopBlocked',
  'TabularyProcessDown',
  'TabularyBackupOld',
] as const;

/** Names of the rules whose condition holds. */
export const holdingAlerts = (facts: AlertFacts): string[] =>
  alertRules.filter(({ judge }) => judge(facts) !== undefined).map(({ name }) => name);

/** Longest pause between samples that still tell of one and the same time. */
const longestGapMs = 180_000;

/** Since when a condition that holds now has held, by the samples before; `now` when they do not tell of it. */
const heldSince = (name: string, samples: readonly KeptSample[], now: Date): Date => {
  let since = now.getTime();
  for (let index = samples.length - 1; index >= 0; index -= 1) {
    const sample = samples[index];
    const at = Date.parse(`${sample?.at}Z`);
    if (sample === undefined || !sample.alerts.includes(name) || since - at > longestGapMs) break;
    since = at;
  }
  return new Date(Math.min(since, now.getTime()));
};

/** Alerts whose condition holds, the critical ones first; `firing` once it has held for long enough. */
export const judgeAlerts = (
  facts: AlertFacts,
  samples: readonly KeptSample[],
  now: Date,
): (Omit<AlertState, 'since'> & { readonly since: Date })[] =>
  alertRules
    .flatMap(({ name, severity, forMinutes, runbook, judge }) => {
      const summary = judge(facts);
      if (summary === undefined) return [];
      const since = heldSince(name, samples, now);
      const firing = now.getTime() - since.getTime() >= forMinutes * 60_000;
      return [
        {
          name,
          severity,
          state: firing ? ('firing' as const) : ('pending' as const),
          since,
          summary,
          runbook,
        },
      ];
    })
    .sort((a, b) => Number(b.severity === 'critical') - Number(a.severity === 'critical'));
