import { expect, it } from 'vitest';
import { silentLog } from '../../../../src/lib/log.js';
import type { Chunk } from '../../../../src/model/chunk.js';
import { recordsPerUpload } from '../../../../src/model/position.js';
import { createChunkPublisher } from '../../../../src/uploads/receive/chunk-publisher.js';

it('refuses the record whose position would belong to the next upload, and accepts the one before', async () => {
  const sent: Chunk[] = [];
  const publisher = createChunkPublisher({
    producer: { maxDataBytes: 1_000_000, send: async (_lane, chunk) => void sent.push(chunk) },
    admission: { wait: async () => undefined, sent: () => undefined },
    windows: { enter: async () => undefined },
    accountId: 1,
    processId: 2,
    dialect: { delimiter: 0x2c, quote: 0x22 },
    requestId: 'request',
    chunkKey: Buffer.alloc(32),
    log: silentLog,
  });
  const split = { bytes: Buffer.from('a,1\n'), rows: 1, firstLine: 2, last: false };
  await publisher.publish({ ...split, firstRow: recordsPerUpload - 1 });
  await publisher.arrived();
  await expect(publisher.publish({ ...split, firstRow: recordsPerUpload })).rejects.toMatchObject({
    code: 'too_many_records',
    details: { limit: recordsPerUpload },
  });
  expect(sent.map(({ firstRow, rows }) => [firstRow, rows])).toEqual([[recordsPerUpload - 1, 1]]);
});
