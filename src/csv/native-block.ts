/**
 * ClickHouse's `Native` format: a block is its number of columns and of rows, then per column its name, its
 * type and its values; numbers in front are LEB128, texts have their length in front. A `Nullable` column is a
 * byte per row that is 1 for null, then the values, also those of nulls.
 */

/** Small pieces are gathered in slabs of this size, so that a wide block is some buffers, not thousands. */
const slabBytes = 1 << 20;
/** A piece of this size is handed on as it is. */
const wholePieceBytes = 64 << 10;

interface BlockWriter {
  reset(): void;
  /** Takes bytes; large ones are referred to, so they must stay as they are until the block is sent. */
  add(bytes: Uint8Array): void;
  pieces(): Buffer[];
}

export const createBlockWriter = (): BlockWriter => {
  /** Kept for the next block. */
  const slabs: Buffer[] = [];
  let slab = -1;
  let sliceStart = 0;
  let used = 0;
  let list: Buffer[] = [];

  const closeSlice = (): void => {
    if (slab >= 0 && used > sliceStart) list.push(slabs[slab]!.subarray(sliceStart, used));
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

/** Name and type, which precede the values of a column. */
export const columnHead = (name: string, type: string): Buffer =>
  Buffer.concat([lengthAndText(name), lengthAndText(type)]);
