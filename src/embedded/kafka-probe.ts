import { connect } from 'node:net';

const apiVersionsKey = 18;
const correlationId = 1;

/** An ApiVersions request of version 0: size, api key, api version, correlation id, client id. */
const apiVersionsRequest = (): Buffer => {
  const clientId = Buffer.from('embedded-probe');
  const request = Buffer.alloc(14 + clientId.length);
  request.writeInt32BE(request.length - 4, 0);
  request.writeInt16BE(apiVersionsKey, 4);
  request.writeInt16BE(0, 6);
  request.writeInt32BE(correlationId, 8);
  request.writeInt16BE(clientId.length, 12);
  clientId.copy(request, 14);
  return request;
};

// Size, correlation id, error code.
const replyHeadBytes = 10;

/**
 * True if a broker answers on the port. An accepted connection is not enough: a broker listens for some time before it has
 * joined the cluster, and does not answer until then.
 */
export const answersApiVersions = (port: number, withinMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let received = Buffer.alloc(0);
    const settle = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(withinMs, () => settle(false));
    // Refused or reset: it is not up yet. The caller probes again.
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
    socket.once('connect', () => socket.write(apiVersionsRequest()));
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes]);
      if (received.length < replyHeadBytes) return;
      settle(received.readInt32BE(4) === correlationId && received.readInt16BE(8) === 0);
    });
  });
