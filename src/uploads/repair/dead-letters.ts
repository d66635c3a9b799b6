import { conflict, messageOf } from '../../lib/errors.js';
import type { Chunk } from '../../model/chunk.js';
import { decodeChunk } from '../../storage/kafka/chunk-codec.js';
import { requireGenuine } from '../../storage/kafka/chunk-mac.js';
import type { RawMessage, TopicReader } from '../../storage/kafka/topic-reader.js';
import type { Sql } from '../../storage/postgres/sql.js';
import type { ProcessRecords } from '../lifecycle/process-records.js';
import type { DeadLetterEntry, DeadLetterRecords } from './dead-letter-records.js';

/** Actions of operators on dead letters. */
export interface DeadLetters {
  list(limit: number): Promise<DeadLetterEntry[]>;
  /** Returns the entry and the message; undefined: retention has removed the message. */
  show(id: number): Promise<{ entry: DeadLetterEntry; message: RawMessage | undefined }>;
  /**
   * Sends the message to its original partition again, if its upload still needs it.
   * @throws AppError 409 with the reason if it cannot be used
   */
  replay(id: number): Promise<{ process: number; chunk: number }>;
  drop(id: number): Promise<void>;
}

interface DeadLettersOptions {
  readonly sql: Sql;
  readonly records: DeadLetterRecords;
  readonly reader: TopicReader;
  readonly processes: ProcessRecords;
  readonly sendBack: (message: RawMessage, entry: DeadLetterEntry) => Promise<void>;
}

const chunkIn = (message: RawMessage): Chunk => {
  try {
    if (message.value === null) throw new Error('the message has no value');
    return decodeChunk(message.value);
  } catch (error) {
    throw conflict(
      'still_undecodable',
      `This version still cannot read the message (${messageOf(error)}); it would become a dead letter again.`,
    );
  }
};

export const createDeadLetters = (options: DeadLettersOptions): DeadLetters => {
  const { sql, records, reader, processes, sendBack } = options;

  const fetch = async ({ copy }: DeadLetterEntry): Promise<RawMessage | undefined> => {
    const { topic, partition } = copy;
    const offset = BigInt(copy.offset);
    const first = (await reader.firstOffsets(topic)).get(partition);
    if (first === undefined || first > offset) return undefined;
    let found: RawMessage | undefined;
    await reader.read(topic, [{ partition, from: offset, to: offset + 1n }], async (message) => {
      found = message;
      return 'stop';
    });
    return found;
  };

  /** @throws AppError 409 unless the upload of the chunk is pending and lacks it */
  const requireUse = async (chunk: Chunk, message: RawMessage): Promise<void> => {
    const { processId: process, number } = chunk;
    const state = await processes.state(process);
    if (state === undefined)
      throw conflict(
        'process_gone',
        `Its upload, process ${process}, was deleted with its dataset; drop it.`,
      );
    if (state.status === 'completed')
      throw conflict('process_ended', `Its upload, process ${process}, has completed without it; drop it.`);
    if (state.status === 'failed')
      throw conflict(
        'process_ended',
        `Its upload, process ${process}, has failed in the meantime. To read all of it again: upload replay ${process}.`,
      );
    try {
      requireGenuine(state.chunkKey, message);
    } catch (error) {
      throw conflict(
        'forged_message',
        `The message was not sent for process ${process} (${messageOf(error)}); drop it.`,
      );
    }
    const seen = await sql.query('SELECT 1 FROM chunks WHERE process_id = $1 AND number = $2', [
      process,
      number,
    ]);
    if (seen.length > 0)
      throw conflict(
        'chunk_known',
        `Chunk ${number} of process ${process} has arrived in another message; drop it.`,
      );
  };

  return {
    list: records.list,

    async show(id) {
      const entry = await records.read(id);
      return { entry, message: await fetch(entry) };
    },

    async replay(id) {
      const entry = await records.read(id);
      return records.settle(id, 'replayed', async () => {
        const message = await fetch(entry);
        if (message === undefined)
          throw conflict('message_expired', `Kafka's retention has removed message ${id}; drop it.`);
        const chunk = chunkIn(message);
        await requireUse(chunk, message);
        await sendBack(message, entry);
        return { process: chunk.processId, chunk: chunk.number };
      });
    },

    async drop(id) {
      await records.settle(id, 'dropped', async () => undefined);
    },
  };
};
