import type { Leases } from '../jobs/leases.js';
import type { Log } from '../lib/log.js';
import type { Provider } from '../providers/provider.js';
import type { Sql } from '../storage/postgres/sql.js';
import { createCache } from './cache/cache.js';
import { createCacheRecords } from './cache/cache-records.js';
import { indexTask } from './caller.js';
import { readGatewayState } from './gateway-state.js';
import { createKeyChoice } from './keys/choice.js';
import { createCipher, type MasterKey } from './keys/cipher.js';
import { createUserKeys } from './keys/user-keys.js';
import { createLimiter } from './limits/limiter.js';
import { createUsageRecords, type UsageRecords } from './limits/usage-records.js';
import { createOperations } from './operations.js';
import { createIndexer } from './search/indexer.js';
import { createItemIndex } from './search/item-index.js';
import type { Telemetry } from './telemetry.js';
import type { BaseUrls } from './upstream/address.js';
import { createBreaker } from './upstream/breaker.js';
import { createRetryBudget } from './upstream/retry.js';
import { createTransport, type Transport } from './upstream/transport.js';

const megabyte = 1024 * 1024;
const [sevenDaysMs, oneMinuteMs, oneHourMs] = [7 * 86_400_000, 60_000, 3_600_000];

export interface GatewaySettings {
  /** Connectors on offer. */
  readonly providers: readonly Provider[];
  /** The first one encrypts user keys; none: no key can be stored. */
  readonly masterKeys: readonly MasterKey[];
  /** Keys of the service by slug. */
  readonly serviceKeys: Readonly<Record<string, string>>;
  readonly baseUrls: BaseUrls;
  /** Slug of the upstream behind the direct feed. */
  readonly feedProvider: string;
  /** Slugs of providers that require a plan with paid providers. */
  readonly paidProviders: readonly string[];
  readonly userAgent: string;
  /** Longest wait for a turn at an upstream. Default 5 s. */
  readonly maxQueueMs?: number;
  /** Longest hold that an upstream may request. Default one hour. */
  readonly maxHoldMs?: number;
  /** Size limit of the cache in PostgreSQL. Default 512 MiB. */
  readonly cacheBytes?: number;
  /** Size limit of the cache in memory. Default 64 MiB. */
  readonly memoryBytes?: number;
  /** How long an answer is kept in case the upstream is down. Default 7 days. */
  readonly staleMs?: number;
  /** Longest time for one operation with all of its requests. Default 60 s. */
  readonly operationTimeoutMs?: number;
  /** Retries after the first attempt. Default 2. */
  readonly retries?: number;
  /** Default 300 ms. */
  readonly firstRetryWaitMs?: number;
  /** Longest wait for the own searches of all providers. Default 1 s. */
  readonly ownSearchWaitMs?: number;
}

export interface GatewayParts {
  readonly settings: GatewaySettings;
  readonly sql: Sql;
  readonly leases: Leases;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly now?: () => number;
  /** Replaces the network in tests. */
  readonly transport?: Transport;
}

const createAccess = (
  { settings, sql, leases, log, telemetry, now = Date.now, transport }: GatewayParts,
  usage: UsageRecords,
) => ({
  baseUrls: settings.baseUrls,
  transport: transport ?? createTransport({ userAgent: settings.userAgent, log }),
  limiter: createLimiter({
    usage,
    telemetry,
    maxWaitMs: settings.maxQueueMs ?? 5_000,
  }),
  breaker: createBreaker(now),
  budget: createRetryBudget(),
  cache: createCache({
    records: createCacheRecords({
      sql,
      maxBytes: settings.cacheBytes ?? 512 * megabyte,
      staleMs: settings.staleMs ?? sevenDaysMs,
      now,
    }),
    staleMs: settings.staleMs ?? sevenDaysMs,
    memoryBytes: settings.memoryBytes ?? 64 * megabyte,
    leases,
    maxLeaseWaitMs: settings.operationTimeoutMs ?? oneMinuteMs,
    telemetry,
    log,
    now,
  }),
  telemetry,
  log,
  now,
  retries: settings.retries ?? 2,
  firstRetryWaitMs: settings.firstRetryWaitMs ?? 300,
  operationTimeoutMs: settings.operationTimeoutMs ?? oneMinuteMs,
  maxHoldMs: settings.maxHoldMs ?? oneHourMs,
});

export const createParts = (parts: GatewayParts) => {
  const { settings, sql, log, now = Date.now } = parts;
  const [current, ...older] = settings.masterKeys;
  const cipher = current === undefined ? undefined : createCipher([current, ...older]);
  const userKeys = createUserKeys({ sql, cipher });
  const usage = createUsageRecords({ sql, maxHoldMs: settings.maxHoldMs ?? oneHourMs });
  const access = createAccess(parts, usage);
  const operations = createOperations(access, createKeyChoice(userKeys, settings.serviceKeys));
  const index = createItemIndex(sql, settings.providers);
  const openContext = (provider: Provider) => operations.contextFor(provider, indexTask);
  const indexer = createIndexer({ sql, index, providers: settings.providers, openContext, log, now });
  const state = () =>
    readGatewayState({
      sql,
      providers: settings.providers,
      serviceKeys: settings.serviceKeys,
      breaker: access.breaker,
      now,
    });
  return { userKeys, usage, cache: access.cache, operations, index, indexer, state };
};
