import { createClient } from '@clickhouse/client';
import { connectionOptions } from './address.js';

/** Separate connections for pings, since those of the client may all be busy. */
export const createPing = (url: string) => {
  const client = createClient({
    ...connectionOptions(url),
    max_open_connections: 16,
    keep_alive: { enabled: false },
    log: { level: 127 },
  });
  return {
    send: async (signal?: AbortSignal): Promise<boolean> =>
      (await client.ping({ select: false, ...(signal === undefined ? {} : { abort_signal: signal }) }))
        .success,
    close: () => client.close(),
  };
};
