/**
 * ClickHouse's `Native` format. A block has its number of columns and rows, then name, type and values of each column. Numbers and lengths are
 * LEB128; a text follows its length. The values of a `Nullable` column follow a byte per row, 1 for null; nulls also have a value.
 */

/** Small pieces are copied to slabs of this size, so that a wide block has a few buffers instead of thousands. */
const slabBytes = 1 << 20;
/** Pieces of at least this size are not copied. */
const wholePieceBytes = 64 << 10;

interface BlockWriter {
  reset(): void;
  /** Adds bytes. Large pieces are not copied, so they must not change before the block is sent. */
  add(bytes: Uint8Array): void;
  pieces(): Buffer[];
}

export const createBlockWriter = (): BlockWriter => {
  /** Reused for the next block. */
  const slabs: Buffer[] = [];
  let slab = -1;
  let sliceStart = 0;
  let used = 0;
  let list: Buffer[] = [];

  const closeSlice = (): void => {
    if (used > sliceStart) list.push(slabs[slab]!.subarray(sliceStart, used));
    sliceStart = used;
  };
  const nextSlab = (): void => {
    closeSlice();
    slab++;
    if (slab === slabs.length)
      slabs.push(Buffer.allocUnsafeSlow(slab === 0 ? wholePieceBytes * 2 : slabBytes));
    sliceStart = 0;
    used = 0;
  };

  return {
    reset: () => {
      slab = -1;
      sliceStart = 0;
      used = 0;
      list = [];
    },
    add: (bytes) => {
      if (bytes.length >= wholePieceBytes) {
        closeSlice();
        list.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
        return;
      }
      if (slab < 0 || used + bytes.length > slabs[slab]!.length) nextSlab();
      slabs[slab]!.set(bytes, used);
      used += bytes.length;
    },
    pieces: () => {
      closeSlice();
      return list;
    },
  };
};

export const varUint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest % 128) | 0x80);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
};

const lengthAndText = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  return Buffer.concat([varUint(bytes.length), bytes]);
};

/** Name and type of a column; its values follow. */
export const columnHead = (name: string, type: string): Buffer =>
  Buffer.concat([lengthAndText(name), lengthAndText(type)]);
