import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unavailable } from '../lib/errors.js';
import type { ComponentContext } from './component-group.js';
import { formatKafkaFolder, isFormatted } from './kafka-format.js';
import { jarFolder, requireJars, requireJava } from './kafka-jars.js';
import { answersApiVersions } from './kafka-probe.js';
import { type KafkaNode, kafkaUser, replicasOf, serverProperties } from './kafka-properties.js';
import { createLogFile, type LogFile } from './log-file.js';
import { createSupervisedChild, endOrphan } from './supervised-child.js';

/**
 * Properties that are added or replace others, for a broker with the given ports.
 * @param anotherPort Port of a further listener, by its name; chosen and remembered like the others.
 */
export type KafkaChanges = (
  own: KafkaNode['ports'],
  anotherPort: (listener: string) => Promise<number>,
) => Promise<Readonly<Record<string, string>>>;

interface KafkaSettings {
  /** Number of brokers, each also a controller: 1, or an odd number, which survives the loss of fewer than half. */
  nodes: number;
  /** Port on the first node. */
  port: number | undefined;
  /** Port on the first node. */
  controllerPort: number | undefined;
  properties?: KafkaChanges | undefined;
}

/** A broker with its folder and ports. */
interface Node extends KafkaNode {
  readonly title: string;
  readonly context: ComponentContext;
  readonly folder: string;
}

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

const choosePorts = async (
  { state, ports }: ComponentContext,
  name: string,
  wanted: { readonly [name in keyof KafkaNode['ports']]?: number | undefined },
): Promise<KafkaNode['ports']> => {
  const remembered = state.read().ports;
  const broker = await ports.choose({
    owner: name,
    variable: 'EMBEDDED_KAFKA_PORT',
    wanted: wanted.broker,
    remembered: remembered.broker,
  });
  const controller = await ports.choose({
    owner: `the controller of ${name}`,
    variable: 'EMBEDDED_KAFKA_CONTROLLER_PORT',
    wanted: wanted.controller,
    remembered: remembered.controller,
  });
  state.update({ ports: { broker, controller } });
  return { broker, controller };
};

/** Chooses ports for further listeners of a node. */
const anotherPortOf =
  ({ title, context: { state, ports } }: Node) =>
  async (listener: string): Promise<number> => {
    const { ports: remembered } = state.read();
    const port = await ports.choose({
      owner: `${listener} of ${title}`,
      variable: 'EMBEDDED_KAFKA_PORT',
      wanted: undefined,
      remembered: remembered[listener],
    });
    state.update({ ports: { ...remembered, [listener]: port } });
    return port;
  };

/** Prepares the folders and ports of the nodes, and ends processes that an earlier run left. */
const chooseNodes = async (context: ComponentContext, settings: KafkaSettings): Promise<Node[]> => {
  const nodes: Node[] = [];
  for (let id = 1; id <= settings.nodes; id += 1) {
    const name = id === 1 ? ('kafka' as const) : (`kafka-${id}` as const);
    const title = settings.nodes === 1 ? 'embedded Kafka' : `node ${id} of embedded Kafka`;
    const own = id === 1 ? context : context.node(name);
    await endOrphan(own.state, 'SIGTERM', own.log);
    const { port: broker, controllerPort: controller } = settings;
    const ports = await choosePorts(own, title, id === 1 ? { broker, controller } : {});
    nodes.push({ id, title, context: own, folder: join(context.dataDir, name), ports });
  }
  return nodes;
};

/** @throws AppError if the data folder was created with another number of nodes: each has a part of the messages. */
const requireSameNodes = ({ dataDir, state }: ComponentContext, wanted: number): void => {
  const made = state.read().nodes ?? (isFormatted(join(dataDir, 'kafka', 'data')) ? 1 : wanted);
  if (made !== wanted)
    throw unavailable(
      'kafka_nodes_fixed',
      `the data folder contains the messages of ${made} Kafka node${made === 1 ? '' : 's'}: set EMBEDDED_KAFKA_NODES=${made} or use another DATA_DIR`,
    );
  state.update({ nodes: made });
};

const prepareFolder = ({ folder }: Node, properties: string, libDir: string): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'server.properties'), properties, { mode: 0o600 });
  // A link, because a class path is split at colons, which a path may contain.
  rmSync(join(folder, 'lib'), { force: true });
  symlinkSync(libDir, join(folder, 'lib'), 'junction');
};

const startNode = async ({ title, context, folder, ports }: Node, output: LogFile): Promise<void> => {
  const child = createSupervisedChild({
    title,
    command: { program: 'java', args: [...javaOptions, 'kafka.Kafka', 'server.properties'] },
    cwd: folder,
    stopSignal: 'SIGTERM',
    stopWithinMs: 7_000,
    isReady: () => answersApiVersions(ports.broker, 2_000),
    state: context.state,
    output,
    log: context.log,
  });
  context.adopt(child);
  await child.start();
};

/** Connection settings of Kafka, under the names of the product's settings. */
export interface KafkaAccess {
  readonly kafkaBrokers: string;
  readonly kafkaSaslMechanism: 'plain';
  readonly kafkaSaslUsername: string;
  readonly kafkaSaslPassword: string;
  /** Replicas that topics can have. */
  readonly kafkaReplication: string;
}

export const startKafka = async (
  context: ComponentContext,
  settings: KafkaSettings,
): Promise<KafkaAccess> => {
  const { dataDir, state, signal } = context;
  const output = createLogFile(join(dataDir, 'logs', 'kafka.log'));
  const libDir = jarFolder();
  requireSameNodes(context, settings.nodes);
  await requireJava(signal);
  await requireJars({ folder: libDir, output, signal });
  const nodes = await chooseNodes(context, settings);

  const {
    password = randomBytes(24).toString('base64url'),
    clusterId = randomBytes(16).toString('base64url'),
  } = state.read();
  state.update({ password, clusterId });
  for (const node of nodes) {
    const changes = (await settings.properties?.(node.ports, anotherPortOf(node))) ?? {};
    prepareFolder(node, serverProperties({ node, nodes, password, changes }), libDir);
    const { title, folder } = node;
    const isAlone = nodes.length === 1;
    await formatKafkaFolder({ title, folder, javaOptions, clusterId, isAlone, output, signal });
  }
  // Concurrently: no broker is ready before most of them have found each other.
  await Promise.all(nodes.map((node) => startNode(node, output)));
  return {
    kafkaBrokers: nodes.map(({ ports }) => `127.0.0.1:${ports.broker}`).join(','),
    kafkaSaslMechanism: 'plain',
    kafkaSaslUsername: kafkaUser,
    kafkaSaslPassword: password,
    kafkaReplication: String(replicasOf(nodes.length)),
  };
};
