/**
 * Requests that kafkajs does not have (DescribeLogDirs), or sends only for its own members (LeaveGroup), over its connections, so that TLS
 * and SASL are the same. Uses internals of the version that patch.ts requires.
 */
import { createRequire } from 'node:module';
import { clientOf, type KafkaConnection } from './client.js';

/** An encoder of kafkajs; what is written to it becomes the body of a request. */
interface RequestBody {
  writeInt32(value: number): this;
  writeString(value: string): this;
}

export interface RawRequest<T> {
  /** Number and name of the request in Kafka's protocol. */
  readonly apiKey: number;
  readonly apiName: string;
  readonly apiVersion: number;
  encode(body: RequestBody): void;
  /** @param reply The reply after its correlation id. */
  decode(reply: Buffer): T;
}

interface Broker {
  readonly connectionPool: {
    send(request: {
      request: object;
      response: { decode(reply: Buffer): Promise<unknown>; parse(decoded: unknown): Promise<unknown> };
      requestTimeout: number;
    }): Promise<unknown>;
  };
}

interface Coordinator {
  leaveGroup(member: { groupId: string; memberId: string }): Promise<unknown>;
}

interface Cluster {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  refreshMetadata(): Promise<void>;
  findGroupCoordinator(group: { groupId: string }): Promise<Coordinator>;
  readonly brokerPool: { readonly brokers: Readonly<Record<string, unknown>> };
  findBroker(which: { nodeId: string }): Promise<Broker>;
}

type Internals = Record<symbol, ((options: object) => Cluster) | undefined>;

const openCluster = (connection: KafkaConnection): Cluster => {
  const kafka = clientOf(connection);
  const symbol = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  );
  const create = symbol && (kafka as unknown as Internals)[symbol];
  if (create === undefined) throw new Error('this version of kafkajs keeps its clusters elsewhere');
  return create({});
};

const Encoder = createRequire(import.meta.url)('kafkajs/src/protocol/encoder.js') as new () => RequestBody;

const send = async <T>(broker: Broker, request: RawRequest<T>, withinMs: number): Promise<T> => {
  const { apiKey, apiName, apiVersion } = request;
  const answer = await broker.connectionPool.send({
    request: {
      apiKey,
      apiName,
      apiVersion,
      encode: async () => {
        const body = new Encoder();
        request.encode(body);
        return body;
      },
    },
    response: {
      decode: async (reply) => ({ decoded: request.decode(reply) }),
      parse: async (answered) => answered,
    },
    requestTimeout: withinMs,
  });
  return (answer as { decoded: T }).decoded;
};

/** Runs work with new connections. */
export const withCluster = async <T>(
  kafka: KafkaConnection,
  run: (cluster: Cluster) => Promise<T>,
): Promise<T> => {
  const cluster = openCluster(kafka);
  try {
    await cluster.connect();
    await cluster.refreshMetadata();
    return await run(cluster);
  } finally {
    await cluster.disconnect();
  }
};

/**
 * Sends the same request to every broker of the cluster.
 * @returns One answer per broker, in no order.
 * @throws if a broker cannot be reached or does not respond in time, or `decode` throws.
 */
export const sendToEveryBroker = <T>(
  kafka: KafkaConnection,
  request: RawRequest<T>,
  withinMs: number,
): Promise<T[]> =>
  withCluster(kafka, (cluster) =>
    Promise.all(
      Object.keys(cluster.brokerPool.brokers).map(async (nodeId) =>
        send(await cluster.findBroker({ nodeId }), request, withinMs),
      ),
    ),
  );
