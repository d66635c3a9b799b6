import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ComponentContext } from './component-group.js';
import { formatKafkaFolder } from './kafka-format.js';
import { defaultJarFolder, requireJars, requireJava } from './kafka-jars.js';
import { answersApiVersions } from './kafka-probe.js';
import { createLogFile } from './log-file.js';
import { createSupervisedChild, endOrphan } from './supervised-child.js';

const title = 'embedded Kafka';
const largestMessageBytes = 32 * 1024 * 1024;

export interface KafkaSettings {
  port: number | undefined;
  controllerPort: number | undefined;
  /** Where the broker's jars are kept; `.data/kafka-lib` of the checkout when left out. */
  libDir: string | undefined;
  /** Further lines of `server.properties`, and others in the place of ours. */
  properties?: Readonly<Record<string, string>> | undefined;
}

const user = 'tabulary';

/** What authenticates brokers, controllers and clients: one user with a generated password. */
const saslProperties = (password: string): Record<string, string> => {
  const login = `org.apache.kafka.common.security.plain.PlainLoginModule required username="${user}" password="${password}" user_${user}="${password}";`;
  return {
    'listener.security.protocol.map': 'SASL_PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT',
    'sasl.enabled.mechanisms': 'PLAIN',
    'sasl.mechanism.inter.broker.protocol': 'PLAIN',
    'sasl.mechanism.controller.protocol': 'PLAIN',
    'listener.name.sasl_plaintext.plain.sasl.jaas.config': login,
    'listener.name.controller.plain.sasl.jaas.config': login,
  };
};

interface PropertiesOptions {
  readonly ports: { readonly broker: number; readonly controller: number };
  readonly password: string;
  readonly changes: Readonly<Record<string, string>>;
}

const serverProperties = ({ ports, password, changes }: PropertiesOptions): string => {
  const { broker: port, controller: controllerPort } = ports;
  const properties: Record<string, string | number | boolean> = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.bootstrap.servers': `127.0.0.1:${controllerPort}`,
    listeners: `SASL_PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `SASL_PLAINTEXT://127.0.0.1:${port}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'SASL_PLAINTEXT',
    ...saslProperties(password),
    // Relative to the working directory: the list is split at commas, which a path may hold.
    'log.dirs': 'data',
    // After a kill the controller, which has died as well, waits this long for the former incarnation of the broker
    // before it admits the new one; 9 s by default.
    'broker.session.timeout.ms': 3_000,
    'broker.heartbeat.interval.ms': 500,
    'auto.create.topics.enable': false,
    'group.initial.rebalance.delay.ms': 0,
    'offsets.topic.num.partitions': 5,
    'offsets.topic.replication.factor': 1,
    'transaction.state.log.num.partitions': 5,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'message.max.bytes': largestMessageBytes,
    'replica.fetch.max.bytes': largestMessageBytes,
    // A request carries several messages.
    'socket.request.max.bytes': 4 * largestMessageBytes,
    'num.network.threads': 2,
    'num.io.threads': 4,
    'log.cleaner.dedupe.buffer.size': 16 * 1024 * 1024,
    ...changes,
  };
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
};

const javaOptions = [
  '-Xmx512m',
  '-Xms64m',
  // Measured: ready after 1.7 s and 2.1 s of CPU, with the optimising compiler 2.0 s and 3.3 s; passing 360 MiB
  // on takes 1.5 to 1.8 s of CPU either way.
  '-XX:TieredStopAtLevel=1',
  '-XX:+UseG1GC',
  '-Xshare:auto',
  '-Djava.awt.headless=true',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  '-Dorg.slf4j.simpleLogger.showDateTime=true',
  '-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd HH:mm:ss.SSS',
  '-cp',
  'lib/*',
];

const choosePorts = async ({ state, ports }: ComponentContext, settings: KafkaSettings) => {
  const remembered = state.read().ports;
  const broker = await ports.choose({
    owner: title,
    variable: 'EMBEDDED_KAFKA_PORT',
    wanted: settings.port,
    remembered: remembered.broker,
  });
  const controller = await ports.choose({
    owner: `the controller of ${title}`,
    variable: 'EMBEDDED_KAFKA_CONTROLLER_PORT',
    wanted: settings.controllerPort,
    remembered: remembered.controller,
  });
  state.update({ ports: { broker, controller } });
  return { broker, controller };
};

/** How the broker is reached; named as the settings of the product. */
export interface KafkaAccess {
  readonly kafkaBrokers: string;
  readonly kafkaSaslMechanism: 'plain';
  readonly kafkaSaslUsername: string;
  readonly kafkaSaslPassword: string;
}

export const startKafka = async (
  context: ComponentContext,
  settings: KafkaSettings,
): Promise<KafkaAccess> => {
  const { dataDir, state, log, signal } = context;
  const output = createLogFile(join(dataDir, 'logs', 'kafka.log'));
  const libDir = settings.libDir ?? defaultJarFolder();
  await requireJava(signal);
  await requireJars({ folder: libDir, output, signal });
  await endOrphan(state, 'SIGTERM', log);
  const ports = await choosePorts(context, settings);

  const folder = join(dataDir, 'kafka');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const password = state.read().password ?? randomBytes(24).toString('base64url');
  state.update({ password });
  const properties = serverProperties({ ports, password, changes: settings.properties ?? {} });
  writeFileSync(join(folder, 'server.properties'), properties, { mode: 0o600 });
  // A link, because a class path is split at colons.
  rmSync(join(folder, 'lib'), { force: true });
  symlinkSync(libDir, join(folder, 'lib'), 'junction');
  await formatKafkaFolder({ title, folder, javaOptions, output, signal });

  const child = createSupervisedChild({
    title,
    command: { program: 'java', args: [...javaOptions, 'kafka.Kafka', 'server.properties'] },
    cwd: folder,
    stopSignal: 'SIGTERM',
    stopWithinMs: 7_000,
    startWithinMs: 60_000,
    isReady: () => answersApiVersions(ports.broker, 2_000),
    state,
    output,
    log,
  });
  context.adopt(child);
  await child.start();
  return {
    kafkaBrokers: `127.0.0.1:${ports.broker}`,
    kafkaSaslMechanism: 'plain',
    kafkaSaslUsername: user,
    kafkaSaslPassword: password,
  };
};
