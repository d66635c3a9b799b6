// Runs one ClickHouse server inside this process until it is signalled to stop. Arguments: the path of `ffi-rs`, the
// path of `libchdb.so`, the port for other nodes and the port at which the server listens for them (both 0 without other
// nodes), then the arguments of the server. It is its own process because the call below returns only when the server ends.
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const host = '127.0.0.1';

// A node that cancels a query resets its connections to other nodes. A ClickHouse server handles that; the embedded one exits
// when a connection is reset between two queries (seen in 26.7). So nodes connect through this relay, which closes each
// connection cleanly whatever the other side does.
const relay = ({ from, to }: { from: number; to: number }): void => {
  const options = { allowHalfOpen: true, noDelay: true };
  const server = createServer(options, (peer) => {
    const node = connect({ host, port: to, ...options });
    peer.pipe(node);
    node.pipe(peer);
    peer.on('error', () => peer.destroy());
    node.on('error', () => node.destroy());
    peer.once('close', () => {
      node.end();
      // Further bytes are read and dropped: unread bytes would reset the connection.
      node.unpipe(peer);
      node.resume();
    });
    node.once('close', () => peer.destroy());
  });
  server.listen(from, host, () => parentPort?.postMessage('listening'));
};

const [ffiPath = '', libraryPath = '', from = '0', to = '0', ...serverArguments] = process.argv.slice(2);

const serve = async (): Promise<void> => {
  if (from !== '0') {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { from: Number(from), to: Number(to) },
    });
    // Runs on another thread: the call below blocks this one.
    await once(worker, 'message');
    worker.unref();
  }
  const ffi = createRequire(import.meta.url)(ffiPath);
  const argv = ['clickhouse', ...serverArguments];
  // ffi-rs calls on the stack of the caller. Libraries that switch stacks fail: ClickHouse measures how deep it is
  // from the thread's own stack and refuses every query with TOO_DEEP_RECURSION.
  ffi.open({ library: 'chdb', path: libraryPath });
  ffi.load({
    library: 'chdb',
    funcName: 'chdb_query_cmdline',
    retType: ffi.DataType.External,
    paramsType: [ffi.DataType.I32, ffi.DataType.StringArray],
    paramsValue: [argv.length, argv],
  });
};

if (isMainThread) await serve();
else relay(workerData);
