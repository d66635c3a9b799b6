import { readFileSync } from 'node:fs';
import avro from 'avsc';
import { projectPath } from '../../lib/project-path.js';
import { type Chunk, invalidFieldOf } from '../../model/chunk.js';

interface RecordSchema {
  readonly fields: readonly { readonly name: string }[];
}

const schema = JSON.parse(readFileSync(projectPath('schemas', 'chunk.avsc'), 'utf8')) as RecordSchema;

/**
 * Avro writes the fields of a record one after another, and bytes as their length and content. `data` is the last field: the bytes before
 * it are a record without it, so megabytes need not be copied for decoding.
 */
const headType = avro.Type.forSchema({
  ...schema,
  fields: schema.fields.filter((field) => field.name !== 'data'),
} as avro.Schema);
const lengthType = avro.Type.forSchema('long');

export const encodeChunk = ({ data, ...head }: Chunk): Buffer =>
  Buffer.concat([headType.toBuffer(head), lengthType.toBuffer(data.length), data]);

/**
 * Decodes a chunk; its data are a view of the bytes.
 * @throws Error if the bytes are not a chunk, or one that no upload can have.
 */
export const decodeChunk = (bytes: Buffer): Chunk => {
  const head = headType.decode(bytes, 0);
  if (head.offset < 0) throw new Error('the message ends within the head of a chunk');
  // The decoder also accepts other encodings, such as a number that it truncates to 32 bits.
  if (!headType.toBuffer(head.value).equals(bytes.subarray(0, head.offset)))
    throw new Error('the head is not written as a chunk’s');
  const length = lengthType.decode(bytes, head.offset) as { value: number; offset: number };
  if (length.offset < 0 || length.offset + length.value !== bytes.length)
    throw new Error('the message is not as long as its chunk');
  const chunk = head.value as Omit<Chunk, 'data'>;
  const invalid = invalidFieldOf(chunk);
  if (invalid !== undefined)
    throw new Error(`the chunk has an impossible ${invalid}: ${chunk[invalid as 'rows']}`);
  return { ...chunk, data: bytes.subarray(length.offset) };
};
