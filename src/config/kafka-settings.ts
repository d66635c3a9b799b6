import { choice, flag, integer, list, MiB, optional, setting, text, url } from './setting.js';

/** How Kafka is reached, and the topics that are made there. */
export const kafkaSettings = {
  kafkaBrokers: setting(
    'KAFKA_BROKERS',
    optional(list),
    undefined,
    'Comma-separated host:port of Kafka; npm start runs an embedded broker when absent.',
  ),
  kafkaTls: setting('KAFKA_TLS', flag, 'false', 'Connect to Kafka over TLS.'),
  kafkaTlsCaFile: setting(
    'KAFKA_TLS_CA_FILE',
    optional(text),
    undefined,
    'PEM file with the authorities that sign the brokers; default: those of Node.',
  ),
  kafkaTlsCertFile: setting(
    'KAFKA_TLS_CERT_FILE',
    optional(text),
    undefined,
    'PEM file with the client certificate, for brokers that require one.',
  ),
  kafkaTlsKeyFile: setting(
    'KAFKA_TLS_KEY_FILE',
    optional(text),
    undefined,
    'PEM file with the key of the client certificate.',
  ),
  kafkaSaslMechanism: setting(
    'KAFKA_SASL_MECHANISM',
    optional(choice('plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer')),
    undefined,
    'How the product authenticates to Kafka: plain, scram-sha-256, scram-sha-512 or oauthbearer; default: not at all.',
  ),
  kafkaSaslUsername: setting(
    'KAFKA_SASL_USERNAME',
    optional(text),
    undefined,
    'User of plain and scram; client id of oauthbearer.',
  ),
  kafkaSaslPassword: setting(
    'KAFKA_SASL_PASSWORD',
    optional(text),
    undefined,
    'Password of plain and scram; client secret of oauthbearer.',
    { secret: true },
  ),
  kafkaOauthTokenUrl: setting(
    'KAFKA_OAUTH_TOKEN_URL',
    optional(url('http', 'https')),
    undefined,
    'Address from which oauthbearer gets its tokens, by the client credentials grant.',
  ),
  kafkaOauthScope: setting(
    'KAFKA_OAUTH_SCOPE',
    optional(text),
    undefined,
    'Scope of the token requests of oauthbearer.',
  ),
  kafkaPrefix: setting('KAFKA_PREFIX', text, 'tabulary', 'Start of every topic and consumer group name.'),
  kafkaPartitions: setting('KAFKA_PARTITIONS', integer(1, 1000), '4', 'Partitions of a topic made at start.'),
  kafkaReplication: setting('KAFKA_REPLICATION', integer(1, 10), '1', 'Replicas of a topic made at start.'),
  kafkaRetentionMs: setting(
    'KAFKA_RETENTION_MS',
    integer(60_000),
    String(24 * 60 * 60 * 1000),
    'Milliseconds that received chunks are kept for replay.',
  ),
  kafkaRetentionBytes: setting(
    'KAFKA_RETENTION_BYTES',
    integer(64 * MiB),
    String(8 * 1024 * MiB),
    'Bytes per partition that received chunks may take.',
  ),
} as const;
