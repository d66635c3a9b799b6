/** The `server.properties` of embedded brokers. */
const largestMessageBytes = 32 * 1024 * 1024;

/** User of brokers, controllers and clients. */
export const kafkaUser = 'tabulary';

/** A broker that is also a controller. */
export interface KafkaNode {
  readonly id: number;
  readonly ports: { readonly broker: number; readonly controller: number };
}

/** Settings that authenticate brokers, controllers and clients: one user with a generated password. */
const saslProperties = (password: string): Record<string, string> => {
  const login = `org.apache.kafka.common.security.plain.PlainLoginModule required username="${kafkaUser}" password="${password}" user_${kafkaUser}="${password}";`;
  return {
    'listener.security.protocol.map': 'SASL_PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT',
    'sasl.enabled.mechanisms': 'PLAIN',
    'sasl.mechanism.inter.broker.protocol': 'PLAIN',
    'sasl.mechanism.controller.protocol': 'PLAIN',
    'listener.name.sasl_plaintext.plain.sasl.jaas.config': login,
    'listener.name.controller.plain.sasl.jaas.config': login,
  };
};

/** How controllers find each other. Others may join a single controller; several know all of them from the start. */
const quorumProperties = (nodes: readonly KafkaNode[]): Record<string, string> => {
  const addressOf = ({ ports }: KafkaNode): string => `127.0.0.1:${ports.controller}`;
  return nodes.length === 1
    ? { 'controller.quorum.bootstrap.servers': nodes.map(addressOf).join(',') }
    : { 'controller.quorum.voters': nodes.map((node) => `${node.id}@${addressOf(node)}`).join(',') };
};

/** Replicas of each topic. */
export const replicasOf = (nodes: number): number => Math.min(3, nodes);

/** With three nodes, a message counts as received once two have it. */
const replicationProperties = (nodes: number): Record<string, number> => {
  const replicas = replicasOf(nodes);
  const inSync = Math.max(1, replicas - 1);
  return {
    'default.replication.factor': replicas,
    'min.insync.replicas': inSync,
    'offsets.topic.replication.factor': replicas,
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': inSync,
  };
};

interface PropertiesOptions {
  readonly node: KafkaNode;
  readonly nodes: readonly KafkaNode[];
  readonly password: string;
  readonly changes: Readonly<Record<string, string>>;
}

export const serverProperties = ({ node, nodes, password, changes }: PropertiesOptions): string => {
  const { broker: port, controller: controllerPort } = node.ports;
  const properties: Record<string, string | number | boolean> = {
    'process.roles': 'broker,controller',
    'node.id': node.id,
    ...quorumProperties(nodes),
    listeners: `SASL_PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `SASL_PLAINTEXT://127.0.0.1:${port}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'SASL_PLAINTEXT',
    ...saslProperties(password),
    ...replicationProperties(nodes.length),
    // Relative to the working directory: the value is split at commas, which a path may contain.
    'log.dirs': 'data',
    // After a kill of the only node, the controller waits this long for the broker's previous incarnation before it admits
    // the new one; 9 s by default.
    'broker.session.timeout.ms': nodes.length === 1 ? 3_000 : 9_000,
    'broker.heartbeat.interval.ms': 500,
    'auto.create.topics.enable': false,
    'group.initial.rebalance.delay.ms': 0,
    'offsets.topic.num.partitions': 5,
    'transaction.state.log.num.partitions': 5,
    'message.max.bytes': largestMessageBytes,
    'replica.fetch.max.bytes': largestMessageBytes,
    // A request has several messages.
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
