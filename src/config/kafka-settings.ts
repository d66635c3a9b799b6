import { age, choice, flag, integer, list, MiB, optional, setting, text, url } from './setting.js';

/** Connection to Kafka, and its topics. */
export const kafkaSettings = {
  kafkaBrokers: setting(
    'KAFKA_BROKERS',
    optional(list),
    undefined,
    'Comma-separated host:port of Kafka brokers. If absent, npm start runs an embedded broker.',
  ),
  kafkaTls: setting('KAFKA_TLS', flag, 'false', 'Connect to Kafka over TLS.'),
  kafkaTlsCaFile: setting(
    'KAFKA_TLS_CA_FILE',
    optional(text),
    undefined,
    'PEM file with the certificate authorities of the brokers; default: those of Node.js.',
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
    'SASL mechanism for Kafka: plain, scram-sha-256, scram-sha-512 or oauthbearer; default: no authentication.',
  ),
  kafkaSaslUsername: setting(
    'KAFKA_SASL_USERNAME',
    optional(text),
    undefined,
    'User name for plain and scram; client id for oauthbearer.',
  ),
  kafkaSaslPassword: setting(
    'KAFKA_SASL_PASSWORD',
    optional(text),
    undefined,
    'Password for plain and scram; client secret for oauthbearer.',
    { secret: true },
  ),
  kafkaOauthTokenUrl: setting(
    'KAFKA_OAUTH_TOKEN_URL',
    optional(url('http', 'https')),
    undefined,
    'Token endpoint for oauthbearer (client credentials grant).',
  ),
  kafkaOauthScope: setting(
    'KAFKA_OAUTH_SCOPE',
    optional(text),
    undefined,
    'Scope of token requests for oauthbearer.',
  ),
  kafkaPrefix: setting('KAFKA_PREFIX', text, 'tabulary', 'Prefix of topic and consumer group names.'),
  kafkaPartitions: setting('KAFKA_PARTITIONS', integer(1, 1000), '4', 'Partitions of new topics.'),
  kafkaReplication: setting('KAFKA_REPLICATION', integer(1, 10), '1', 'Replicas of new topics.'),
  kafkaRetentionMs: setting(
    'KAFKA_RETENTION_MS',
    age(60_000),
    String(24 * 60 * 60 * 1000),
    'Milliseconds for which received chunks are kept for replay.',
  ),
  kafkaRetentionBytes: setting(
    'KAFKA_RETENTION_BYTES',
    integer(64 * MiB),
    String(8 * 1024 * MiB),
    'Most bytes of received chunks per partition.',
  ),
} as const;
