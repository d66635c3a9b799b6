import type { RawMessage } from '../storage/kafka/topic-reader.js';
import { previewOf, shownBytes } from '../uploads/repair/dead-letter-preview.js';
import type { DeadLetterEntry } from '../uploads/repair/dead-letter-records.js';
import type { DeadLetters } from '../uploads/repair/dead-letters.js';
import type { AdminContext, AdminGroup, CommandInput } from './command.js';
import { wholeNumber } from './whole-number.js';

/** Opens what the commands work with, at the addresses of the operator's environment. */
type OpenDeadLetters = (context: AdminContext) => DeadLetters;

const listed = 1_000;

const numberOf = (input: CommandInput): number =>
  wholeNumber(input.argument('id'), 'the number of a dead letter');

const placeOf = ({ topic, partition, offset }: DeadLetterEntry['origin']): string =>
  `${topic}/${partition}/${offset}`;

const rowOf = ({ id, origin, reason, bytes, recordedAt }: DeadLetterEntry) => ({
  id,
  recordedAt,
  origin: placeOf(origin),
  bytes,
  reason,
});

const payloadOf = (message: RawMessage | undefined) => {
  if (message === undefined) return { payload: 'removed by Kafka’s retention' };
  const { key, headers, hex, text } = previewOf(message);
  return { key, headers, headHex: hex, headText: text };
};

/** `dead-letters list|show|replay|drop`. */
export const createDeadLetterCommands = (open: OpenDeadLetters): AdminGroup => ({
  name: 'dead-letters',
  summary: 'Messages that no worker could read',
  commands: [
    {
      name: 'list',
      summary: 'List unresolved dead letters, oldest first.',
      run: async ({ context }) => (await open(context).list(listed)).map(rowOf),
    },
    {
      name: 'show',
      summary: `Show a dead letter: reason, origin, headers and its first ${shownBytes} bytes.`,
      arguments: ['id'],
      async run(input) {
        const { entry, message } = await open(input.context).show(numberOf(input));
        return { ...rowOf(entry), state: entry.state, copy: placeOf(entry.copy), ...payloadOf(message) };
      },
    },
    {
      name: 'replay',
      summary: 'Send a dead letter back to its topic, when its upload still waits for it.',
      arguments: ['id'],
      async run(input) {
        const id = numberOf(input);
        return { replayed: id, ...(await open(input.context).replay(id)) };
      },
    },
    {
      name: 'drop',
      summary: 'Remove a dead letter from the list for good.',
      arguments: ['id'],
      async run(input) {
        const id = numberOf(input);
        await open(input.context).drop(id);
        return { dropped: id };
      },
    },
  ],
});
