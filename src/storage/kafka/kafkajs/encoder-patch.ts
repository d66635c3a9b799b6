/**
 * Makes kafkajs write large messages with one copy instead of nine.
 *
 * kafkajs nests encoders: record in batch in partition in topic in request, nine in all. Each is a zero-filled
 * buffer of the next power of two into which the inner one is copied, so a chunk of 7 MB costs 72 MB of new memory.
 * V8 counts that memory and marks its whole heap every 64 MB of it: half of the CPU time of an upload. Here an
 * encoder only refers to large contents. They are joined once, where the checksum needs them in one piece, with
 * room in front for the headers of the outer layers. The bytes that go out are the same; the unit test compares.
 *
 * tulios/kafkajs#383 asks for fewer copies; #811 removed those within one encoder, not those between nested ones.
 */
/** The parts of kafkajs' Encoder that matter here. */
interface Encoder {
  /** Buffer for small values, and number of bytes written to it. */
  buf: Buffer;
  offset: number;
  readonly buffer: Buffer;
  size(): number;
  writeInt32(value: number): this;
  writeBufferInternal(bytes: Buffer): void;
  writeBytes(value: Buffer | string | null): this;
  writeEncoder(value: Encoder): this;
  writeEncoderArray(values: readonly Encoder[]): this;
}

/** Contents of at least this size are referenced instead of copied. */
const largeBytes = 64 * 1024;
/** Space before joined contents: headers of the outer layers, with names of topic and client. */
const headroomBytes = 2048;
const restBytes = 512;

/** Finished pieces of an encoder before `buf`, in order. */
const sealedOf = new WeakMap<Encoder, Buffer[]>();
/** First used byte of memory made by `join`. */
const usedFrom = new WeakMap<ArrayBufferLike, number>();

const lengthOf = (pieces: readonly Buffer[]): number => pieces.reduce((sum, piece) => sum + piece.length, 0);

const putAll = (pieces: readonly Buffer[], target: Buffer): Buffer => {
  let at = 0;
  for (const piece of pieces) at += piece.copy(target, at);
  return target;
};

/** Joins all pieces into one buffer. Small pieces before joined contents are written to the space before them. */
const join = (pieces: readonly Buffer[]): Buffer => {
  const last = pieces.at(-1);
  const bytes = lengthOf(pieces);
  if (last !== undefined && usedFrom.get(last.buffer) === last.byteOffset) {
    const start = last.byteOffset - (bytes - last.length);
    if (start >= 0) {
      putAll(pieces.slice(0, -1), Buffer.from(last.buffer, start));
      usedFrom.set(last.buffer, start);
      return Buffer.from(last.buffer, start, bytes);
    }
  }
  const memory = Buffer.allocUnsafeSlow(headroomBytes + bytes);
  usedFrom.set(memory.buffer, headroomBytes);
  return putAll(pieces, memory.subarray(headroomBytes));
};

const piecesOf = (encoder: Encoder): Buffer[] => {
  const written = encoder.buf.subarray(0, encoder.offset);
  const sealed = sealedOf.get(encoder) ?? [];
  return written.length === 0 ? sealed : [...sealed, written];
};

/** Appends the pieces to what is written; the next values are written to new memory. */
const refer = (encoder: Encoder, pieces: readonly Buffer[]): void => {
  sealedOf.set(encoder, [...piecesOf(encoder), ...pieces]);
  encoder.buf = Buffer.allocUnsafe(restBytes);
  encoder.offset = 0;
};

const contentsOf = (encoder: Encoder): Buffer => {
  const sealed = sealedOf.get(encoder);
  if (sealed === undefined) return encoder.buf.subarray(0, encoder.offset);
  if (sealed.length === 1 && encoder.offset === 0) return sealed[0]!;
  const joined = join(piecesOf(encoder));
  sealedOf.set(encoder, [joined]);
  encoder.offset = 0;
  return joined;
};

type Plain = Pick<Encoder, 'writeBufferInternal' | 'writeBytes' | 'size'>;

/** Methods that replace those of `Encoder`. */
export const encoderMethods = (plain: Plain) => ({
  writeBufferInternal(this: Encoder, bytes: Buffer): void {
    if (bytes.length < largeBytes) plain.writeBufferInternal.call(this, bytes);
    else refer(this, [bytes]);
  },
  writeBytes(this: Encoder, value: Buffer | string | null): Encoder {
    if (!Buffer.isBuffer(value) || value.length < largeBytes) return plain.writeBytes.call(this, value);
    this.writeInt32(value.length);
    refer(this, [value]);
    return this;
  },
  writeEncoder(this: Encoder, value: Encoder): Encoder {
    if (sealedOf.has(value)) refer(this, piecesOf(value));
    else this.writeBufferInternal(value.buffer);
    return this;
  },
  writeEncoderArray(this: Encoder, values: readonly Encoder[]): Encoder {
    for (const value of values) this.writeEncoder(value);
    return this;
  },
  size(this: Encoder): number {
    return lengthOf(sealedOf.get(this) ?? []) + plain.size.call(this);
  },
  /** All bytes written so far, as one buffer. */
  get buffer(): Buffer {
    return contentsOf(this as unknown as Encoder);
  },
});
