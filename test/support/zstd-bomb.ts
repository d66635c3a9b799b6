/** Zstandard frame of RLE blocks, which expand four bytes to 128 KiB each. */
export const bombOf = (bytes: number): Buffer => {
  const blocks = Math.ceil(bytes / 131_072);
  const frame = Buffer.alloc(6 + blocks * 4);
  frame.writeUInt32LE(0xfd2fb528, 0);
  frame.writeUInt8(0x00, 4);
  frame.writeUInt8(0x48, 5);
  for (let block = 0; block < blocks; block += 1) {
    const last = block === blocks - 1 ? 1 : 0;
    frame.writeUIntLE((131_072 << 3) | (1 << 1) | last, 6 + block * 4, 3);
    frame.writeUInt8(0x61, 9 + block * 4);
  }
  return frame;
};
