import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type EmbeddedAccess, startEmbedded } from '../../../src/embedded/components.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { clientOf } from '../../../src/storage/kafka/kafkajs/client.js';
import { readLogSizes } from '../../../src/storage/kafka/kafkajs/log-sizes.js';
import { explainRefusal } from '../../../src/storage/kafka/refusal.js';
import { createDataset, download, upload } from '../../support/datasets.js';
import { connectKafka, createTopic, settingsOf } from '../../support/kafka.js';
import { testWith } from '../../support/optional-tools.js';
import { startProduct } from '../../support/product.js';
import type { KafkaAccess } from '../../support/services.js';
import { programOf } from '../../support/tools.js';

const it = await testWith('openssl');
const folder = mkdtempSync(join(tmpdir(), 'tabulary-kafka-tls-'));
const scope = createScope(silentLog);
const run = promisify(execFile);
const module = 'org.apache.kafka.common.security';
const file = (name: string): string => join(folder, name);

let embedded: EmbeddedAccess;
let tokens: Server;
/** TLS without credentials. */
let secured: KafkaAccess;
let mutual: KafkaAccess;

const makeCertificate = async (name: string): Promise<void> => {
  await run(await programOf('openssl'), [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`],
    ...[
      '-addext',
      'subjectAltName=IP:127.0.0.1',
      '-keyout',
      file(`${name}.key`),
      '-out',
      file(`${name}.pem`),
    ],
  ]);
  const both = readFileSync(file(`${name}.key`), 'utf8') + readFileSync(file(`${name}.pem`), 'utf8');
  writeFileSync(file(`${name}-both.pem`), both);
};

const part = (content: object): string => Buffer.from(JSON.stringify(content)).toString('base64url');

/** Issues unsigned tokens, which Kafka's own test handler accepts. */
const startTokenServer = async (): Promise<Server> => {
  const server = createServer((request, response) => {
    const wanted = `Basic ${Buffer.from('client:secret').toString('base64')}`;
    if (request.headers.authorization !== wanted) return response.writeHead(401).end();
    const now = Math.floor(Date.now() / 1000);
    const value = `${part({ alg: 'none' })}.${part({ sub: 'client', iat: now, exp: now + 600 })}.`;
    response.end(JSON.stringify({ access_token: value, token_type: 'bearer', expires_in: 600 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

const plain = `${module}.plain.PlainLoginModule required user_ada="pw";`;

/** One TLS listener with every SASL mechanism, and one that requires a client certificate. */
const securityProperties = {
  'listener.security.protocol.map':
    'SASL_PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT,SECURE:SASL_SSL,MUTUAL:SSL',
  'ssl.keystore.type': 'PEM',
  'ssl.keystore.location': file('broker-both.pem'),
  'ssl.truststore.type': 'PEM',
  'ssl.truststore.location': file('client.pem'),
  'listener.name.mutual.ssl.client.auth': 'required',
  'listener.name.secure.sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER',
  'listener.name.secure.plain.sasl.jaas.config': plain,
  'listener.name.secure.scram-sha-256.sasl.jaas.config': `${module}.scram.ScramLoginModule required;`,
  'listener.name.secure.scram-sha-512.sasl.jaas.config': `${module}.scram.ScramLoginModule required;`,
  'listener.name.secure.oauthbearer.sasl.jaas.config': `${module}.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";`,
};

beforeAll(async () => {
  await makeCertificate('broker');
  await makeCertificate('client');
  const addresses = { secured: '', mutual: '' };
  const { access } = await startEmbedded({
    dataDir: file('data'),
    need: { postgres: false, kafka: true, clickhouse: false },
    kafkaProperties: async ({ broker, controller }, anotherPort) => {
      addresses.secured = `127.0.0.1:${await anotherPort('secured')}`;
      addresses.mutual = `127.0.0.1:${await anotherPort('mutual')}`;
      const listeners = `SASL_PLAINTEXT://127.0.0.1:${broker},SECURE://${addresses.secured},MUTUAL://${addresses.mutual}`;
      return {
        ...securityProperties,
        listeners: `${listeners},CONTROLLER://127.0.0.1:${controller}`,
        'advertised.listeners': listeners,
      };
    },
    log: silentLog,
    scope,
  });
  embedded = access;
  writeFileSync(
    file('admin.properties'),
    `security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config=${module}.plain.PlainLoginModule required username="tabulary" password="${access.kafkaSaslPassword}";\n`,
  );
  for (const mechanism of ['SCRAM-SHA-256', 'SCRAM-SHA-512']) {
    await run('java', [
      ...['-cp', join(file('data'), 'kafka/lib/*'), 'kafka.admin.ConfigCommand', '--alter'],
      ...['--bootstrap-server', access.kafkaBrokers ?? '', '--command-config', file('admin.properties')],
      ...['--entity-type', 'users', '--entity-name', 'ada'],
      ...['--add-config', `${mechanism}=[iterations=4096,password=pw]`],
    ]);
  }
  tokens = await startTokenServer();
  const shared = { kafkaTls: 'true', kafkaTlsCaFile: file('broker.pem') };
  secured = { ...shared, kafkaBrokers: addresses.secured };
  mutual = { ...shared, kafkaBrokers: addresses.mutual };
});

afterAll(async () => {
  tokens?.close();
  await scope.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends both kinds of requests: of the Kafka client and of the log size reader. */
const reach = async (access: KafkaAccess): Promise<string[]> => {
  const kafka = connectKafka('security-test', access, { retries: 0 });
  const admin = clientOf(kafka).admin();
  try {
    await admin.connect();
    await createTopic(admin, 'secured');
    await readLogSizes(kafka, new Map([['secured', 1]]), 5_000);
    return await admin.listTopics();
  } finally {
    await admin.disconnect();
  }
};

const ada = { kafkaSaslUsername: 'ada', kafkaSaslPassword: 'pw' };
const oauth = (): KafkaAccess => ({
  kafkaSaslMechanism: 'oauthbearer',
  kafkaSaslUsername: 'client',
  kafkaSaslPassword: 'secret',
  kafkaOauthTokenUrl: `http://127.0.0.1:${(tokens.address() as AddressInfo).port}/token`,
});

describe('a startup that the broker refuses names the settings', () => {
  const start = (access: KafkaAccess) => explainRefusal(settingsOf(access), () => reach(access));
  /** Listener of the embedded broker, which accepts only PLAIN. */
  const own = (): KafkaAccess => ({ kafkaBrokers: embedded.kafkaBrokers ?? '' });
  const user = 'KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD';

  it('without a user', async () => {
    await expect(start(own())).rejects.toMatchObject({
      code: 'kafka_refused',
      message: `Kafka at KAFKA_BROKERS closed the connection without an answer: it may ask for a user (${user}), or want TLS (KAFKA_TLS).`,
    });
  });

  it('without a user over TLS', async () => {
    await expect(start(secured)).rejects.toThrow(/^Kafka at KAFKA_BROKERS closed .*it may ask for a user/);
  });

  it('with a wrong password', async () => {
    await expect(start({ ...own(), kafkaSaslMechanism: 'plain', ...ada })).rejects.toMatchObject({
      code: 'kafka_refused',
      message: `Kafka refused ${user}: SASL PLAIN authentication failed: Authentication failed: Invalid username or password.`,
    });
  });

  it('with a mechanism that the broker does not support', async () => {
    await expect(start({ ...own(), kafkaSaslMechanism: 'scram-sha-512', ...ada })).rejects.toThrow(
      `Kafka refused ${user}: The broker does not support the requested SASL mechanism.`,
    );
  });

  it('without TLS where the broker requires it', async () => {
    const access = { kafkaBrokers: secured.kafkaBrokers ?? '', kafkaSaslMechanism: 'plain', ...ada };
    await expect(start(access)).rejects.toThrow(/, or want TLS \(KAFKA_TLS\)\.$/);
  });
});

describe('Kafka over TLS', () => {
  it.each(['plain', 'scram-sha-256', 'scram-sha-512'] as const)('accepts %s', async (kafkaSaslMechanism) => {
    expect(await reach({ ...secured, kafkaSaslMechanism, ...ada })).toContain('secured');
    const wrong = { ...secured, kafkaSaslMechanism, ...ada, kafkaSaslPassword: 'wrong' };
    await expect(reach(wrong)).rejects.toThrow();
  });

  it('accepts tokens of an authorization server', async () => {
    expect(await reach({ ...secured, ...oauth() })).toContain('secured');
    await expect(reach({ ...secured, ...oauth(), kafkaSaslPassword: 'wrong' })).rejects.toThrow(/401/);
  });

  it('accepts client certificates', async () => {
    const own = { kafkaTlsCertFile: file('client.pem'), kafkaTlsKeyFile: file('client.key') };
    expect(await reach({ ...mutual, ...own })).toContain('secured');
    await expect(reach(mutual)).rejects.toThrow();
  });

  it('refuses a broker with an unknown certificate authority', async () => {
    const { kafkaTlsCaFile: _, ...unknown } = { ...secured, kafkaSaslMechanism: 'plain' as const, ...ada };
    await expect(reach(unknown)).rejects.toThrow(/self.signed/);
  });

  it('carries an upload from the API to the worker', async () => {
    expect(embedded.kafkaBrokers).toBeDefined();
    const product = await startProduct({ ...secured, kafkaSaslMechanism: 'scram-sha-512', ...ada });
    try {
      const owner = await product.createAccount('owner');
      const dataset = await createDataset(owner);
      await upload(owner, dataset, 'a,b\n1,x\n');
      expect(await download(owner, dataset)).toContain('"x"');
    } finally {
      await product.close();
    }
  });
});
