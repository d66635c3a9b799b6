import { connect as connectPlain, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

const keepAliveMs = 60_000;

/**
 * Sockets as kafkajs makes them itself, but for one thing. kafkajs calls `unref` once for each request that failed on a
 * connection, also when the socket is long gone; Node then waits for a connection that never comes, with one more listener each
 * time (MaxListenersExceededWarning while a broker is away).
 */
export const createSocket: ISocketFactory = ({ host, port, ssl, onConnect }) => {
  const named = isIP(host) === 0 ? { servername: host } : {};
  // Typed as if it were always there.
  const withTls = Boolean(ssl);
  const socket = withTls
    ? connectTls({ host, port, ...named, ...ssl }, onConnect)
    : connectPlain({ host, port }, onConnect);
  socket.setKeepAlive(true, keepAliveMs);
  const unref = socket.unref.bind(socket);
  socket.unref = () => (socket.destroyed ? socket : unref());
  return socket;
};
