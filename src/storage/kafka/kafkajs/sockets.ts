import { connect as connectPlain, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

const keepAliveMs = 60_000;

/**
 * Sockets as kafkajs creates them, except for `unref`. kafkajs calls it once for each request that failed on a connection,
 * also on a destroyed socket; Node then adds a `connect` listener each time (MaxListenersExceededWarning while a broker is
 * away). No upstream issue was found for it.
 */
export const createSocket: ISocketFactory = ({ host, port, ssl, onConnect }) => {
  const named = isIP(host) === 0 ? { servername: host } : {};
  // Declared as always present.
  const withTls = Boolean(ssl);
  const socket = withTls
    ? connectTls({ host, port, ...named, ...ssl }, onConnect)
    : connectPlain({ host, port }, onConnect);
  socket.setKeepAlive(true, keepAliveMs);
  const unref = socket.unref.bind(socket);
  socket.unref = () => (socket.destroyed ? socket : unref());
  return socket;
};
