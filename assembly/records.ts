/** Ends of records and positions of fields, by tests of 16 bytes at once. */

const LF: i32 = 0x0a;
const CR: i32 = 0x0d;

/** Bits of the bytes in 64 that are one of four. */
function specialBits(at: i32, a: v128, b: v128, c: v128, d: v128): u64 {
  return (
    bits16(at, a, b, c, d) |
    (bits16(at + 16, a, b, c, d) << 16) |
    (bits16(at + 32, a, b, c, d) << 32) |
    (bits16(at + 48, a, b, c, d) << 48)
  );
}

function bits16(at: i32, a: v128, b: v128, c: v128, d: v128): u64 {
  const bytes = v128.load(at);
  const found = v128.or(
    v128.or(i8x16.eq(bytes, a), i8x16.eq(bytes, b)),
    v128.or(i8x16.eq(bytes, c), i8x16.eq(bytes, d)),
  );
  return <u64>(<u32>i8x16.bitmask(found));
}

/** Result of `indexPlain` besides its rows. */
let nextByte: i32 = 0;
let nextLine: i32 = 0;

export function next(): i32 {
  return nextByte;
}

export function line(): i32 {
  return nextLine;
}

/**
 * Indexes plain records from `from` on: as many fields as they must have, quoted ones without line ends or quotes in them.
 * Stops in front of any other record, of one that is not complete before `end`, and after `maxRows`. Positions are relative to
 * `text`.
 *
 * @returns rows indexed; `next` and `line` say where the record after them begins
 */
export function indexPlain(
  text: i32,
  from: i32,
  end: i32,
  fieldCount: i32,
  maxRows: i32,
  firstLine: i32,
  delimiter: i32,
  quote: i32,
  starts: i32,
  ends: i32,
  recordStarts: i32,
  recordEnds: i32,
  lines: i32,
): i32 {
  const delimiters = i8x16.splat(<i8>delimiter);
  const quotes = i8x16.splat(<i8>quote);
  const lfs = i8x16.splat(<i8>LF);
  const crs = i8x16.splat(<i8>CR);
  let rows = 0;
  let lineNow = firstLine;
  /** First byte of the record that is being read; and of the field. */
  let record = from;
  let start = from;
  let cell = 0;
  let fields = 0;
  let block = from;
  let bits = specialBits(text + block, delimiters, quotes, lfs, crs);
  while (rows < maxRows) {
    while (bits === 0) {
      block += 64;
      if (block >= end) break;
      bits = specialBits(text + block, delimiters, quotes, lfs, crs);
    }
    if (bits === 0) break;
    const at = block + <i32>ctz(bits);
    bits &= bits - 1;
    if (at >= end) break;
    // The LF of a CRLF.
    if (at < start) continue;
    let byte: i32 = load<u8>(text + at);
    let fieldEnd = at;
    let stop = at;
    let first = start;
    if (byte === quote) {
      if (at !== start) break;
      // Up to the quote that closes the field; line ends and doubled quotes in it are left to the caller.
      let closing = -1;
      for (;;) {
        while (bits === 0) {
          block += 64;
          if (block >= end) break;
          bits = specialBits(text + block, delimiters, quotes, lfs, crs);
        }
        if (bits === 0) break;
        const inner = block + <i32>ctz(bits);
        bits &= bits - 1;
        if (inner >= end) break;
        byte = load<u8>(text + inner);
        if (byte === delimiter) continue;
        if (byte === quote) closing = inner;
        break;
      }
      if (closing < 0 || closing + 1 >= end) break;
      stop = closing + 1;
      byte = load<u8>(text + stop);
      if (byte !== delimiter && byte !== LF && byte !== CR) break;
      first = start + 1;
      fieldEnd = closing;
      // The byte after the closing quote is the next one marked.
      while (bits === 0) {
        block += 64;
        bits = specialBits(text + block, delimiters, quotes, lfs, crs);
      }
      bits &= bits - 1;
    }
    if (byte === delimiter) {
      if (fields + 1 >= fieldCount) break;
      store<i32>(starts + (cell << 2), first);
      store<i32>(ends + (cell << 2), fieldEnd);
      cell++;
      fields++;
      start = stop + 1;
      continue;
    }
    let after = stop + 1;
    if (byte === CR) {
      // Whether an LF follows is not known.
      if (after >= end) break;
      if (load<u8>(text + after) === LF) after++;
    }
    if (fields === 0 && stop === record) {
      // A blank line.
      lineNow++;
      record = after;
      start = after;
      continue;
    }
    if (fields + 1 !== fieldCount) break;
    store<i32>(starts + (cell << 2), first);
    store<i32>(ends + (cell << 2), fieldEnd);
    cell++;
    store<i32>(recordStarts + (rows << 2), record);
    store<i32>(recordEnds + (rows << 2), stop);
    store<i32>(lines + (rows << 2), lineNow);
    rows++;
    lineNow++;
    fields = 0;
    record = after;
    start = after;
  }
  nextByte = record;
  nextLine = lineNow;
  return rows;
}

/** Results of `scanRecords` besides its records. */
let inQuotes: bool = false;
let openedLine: i32 = 0;
let openRecord: i32 = 0;
let openRecordLine: i32 = 0;

export function quoted(): bool {
  return inQuotes;
}

/** Line on which the last quoted field began. */
export function quoteLine(): i32 {
  return openedLine;
}

/** First byte of the record that is not complete, and its line. */
export function recordStart(): i32 {
  return openRecord;
}

export function recordLine(): i32 {
  return openRecordLine;
}

/**
 * Finds where records end, whatever is in their fields, and writes three integers for each: its first byte, the byte after its line
 * end, and its line. Continues from the state at `from`, and stops in front of a byte whose meaning the next one decides.
 *
 * @param record First byte of the record at `from`, which may be in front of `text`.
 * @returns how many records were found; `next`, `line` and the functions above have the state behind them
 */
export function scanRecords(
  text: i32,
  from: i32,
  end: i32,
  record: i32,
  firstRecordLine: i32,
  firstLine: i32,
  isQuoted: bool,
  firstQuoteLine: i32,
  delimiter: i32,
  quote: i32,
  out: i32,
): i32 {
  const quotes = i8x16.splat(<i8>quote);
  const lfs = i8x16.splat(<i8>LF);
  const crs = i8x16.splat(<i8>CR);
  let at = out;
  let lineNow = firstLine;
  let recordLineNow = firstRecordLine;
  let p = from;
  inQuotes = isQuoted;
  openedLine = firstQuoteLine;
  nextByte = end;
  for (let block = from; block < end; block += 64) {
    let bits = specialBits(text + block, quotes, quotes, lfs, crs);
    for (; bits !== 0; bits &= bits - 1) {
      const found = block + <i32>ctz(bits);
      if (found < p) continue;
      if (found >= end) break;
      const byte: i32 = load<u8>(text + found);
      if (byte === quote) {
        if (!inQuotes) {
          inQuotes = found === record || load<u8>(text + found - 1) === delimiter;
          if (inQuotes) openedLine = lineNow;
          continue;
        }
        if (found + 1 === end) {
          nextByte = found;
          break;
        }
        if (load<u8>(text + found + 1) === quote) p = found + 2;
        else inQuotes = false;
        continue;
      }
      if (byte === CR && found + 1 === end) {
        nextByte = found;
        break;
      }
      p = found + 1;
      if (byte === CR && load<u8>(text + p) === LF) p++;
      lineNow++;
      if (inQuotes) continue;
      if (found > record) {
        store<i32>(at, record);
        store<i32>(at + 4, p);
        store<i32>(at + 8, recordLineNow);
        at += 12;
      }
      record = p;
      recordLineNow = lineNow;
    }
  }
  nextLine = lineNow;
  openRecord = record;
  openRecordLine = recordLineNow;
  return (at - out) / 12;
}
