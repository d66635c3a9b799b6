import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import type { Scope } from '../../src/lib/scope.js';

interface Need {
  readonly postgres: boolean;
  readonly kafka: boolean;
  readonly clickhouse: boolean;
}

const startPostgres = (): Promise<StartedTestContainer> =>
  new GenericContainer('postgres:18')
    .withEnvironment({ POSTGRES_PASSWORD: 'test' })
    .withExposedPorts(5432)
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
    .start();

const startClickHouse = (): Promise<StartedTestContainer> =>
  new GenericContainer('clickhouse/clickhouse-server:latest')
    .withEnvironment({ CLICKHOUSE_USER: 'test', CLICKHOUSE_PASSWORD: 'test' })
    .withExposedPorts(8123)
    .withUlimits({ nofile: { soft: 262_144, hard: 262_144 } })
    .withWaitStrategy(Wait.forHttp('/ping', 8123))
    .start();

/** The broker names its own address to clients, so the port outside must be the port inside. */
const kafkaPort = 29_092;

const startKafka = (): Promise<StartedTestContainer> =>
  new GenericContainer('apache/kafka:4.1.0')
    .withEnvironment({
      KAFKA_NODE_ID: '1',
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_LISTENERS: `PLAINTEXT://:${kafkaPort},CONTROLLER://:9093`,
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://localhost:${kafkaPort}`,
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
      KAFKA_MESSAGE_MAX_BYTES: String(32 * 1024 * 1024),
      KAFKA_REPLICA_FETCH_MAX_BYTES: String(32 * 1024 * 1024),
    })
    .withExposedPorts({ container: kafkaPort, host: kafkaPort })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .start();

/** Starts the needed services as containers; they are removed when the scope closes. */
export const startContainers = async (need: Need, scope: Scope) => {
  const run = async (
    name: string,
    start: () => Promise<StartedTestContainer>,
  ): Promise<StartedTestContainer> => {
    const container = await start();
    await scope.defer(name, async () => {
      await container.stop();
    });
    return container;
  };
  const [postgres, kafka, clickhouse] = await Promise.all([
    need.postgres ? run('postgres container', startPostgres) : undefined,
    need.kafka ? run('kafka container', startKafka) : undefined,
    need.clickhouse ? run('clickhouse container', startClickHouse) : undefined,
  ]);
  return {
    ...(postgres && {
      databaseUrl: `postgres://postgres:test@${postgres.getHost()}:${postgres.getMappedPort(5432)}/postgres`,
    }),
    ...(kafka && { kafka: { kafkaBrokers: `${kafka.getHost()}:${kafkaPort}` } }),
    ...(clickhouse && {
      clickhouseUrl: `http://test:test@${clickhouse.getHost()}:${clickhouse.getMappedPort(8123)}`,
    }),
  };
};
