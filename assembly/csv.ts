/**
 * Loops over the bytes of CSV that JavaScript runs too slowly: 16 bytes are tested at once for the ones that end a field or a
 * record. Everything here is a short path. Where a record or value is not plain, the loop stops there and the caller takes the
 * path in JavaScript, which defines the result (`src/csv`): both give the same bytes.
 *
 * Memory is laid out by the caller; `text` is followed by 64 readable bytes, and outputs have room for 16 bytes too many.
 */

const LF: i32 = 0x0a;
const CR: i32 = 0x0d;
const MINUS: i32 = 0x2d;
const POINT: i32 = 0x2e;
const ZERO: i32 = 0x30;

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
 * Stops in front of any other record, of one that is not complete before `end`, and after `mostRows`. Positions are relative to
 * `text`.
 *
 * @returns rows indexed; `next` and `line` say where the record after them begins
 */
export function indexPlain(
  text: i32,
  from: i32,
  end: i32,
  fieldCount: i32,
  mostRows: i32,
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
  while (rows < mostRows) {
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

/**
 * Copies texts with their lengths in front. Stops at a field with doubled quotes.
 *
 * @returns the first row that was not written, or `to`; `next` says how many bytes were
 */
export function encodeTexts(
  text: i32,
  starts: i32,
  ends: i32,
  fieldCount: i32,
  field: i32,
  from: i32,
  to: i32,
  nulls: i32,
  out: i32,
): i32 {
  let cell = (from * fieldCount + field) << 2;
  const step = fieldCount << 2;
  let at = out;
  let row = from;
  for (; row < to; row++, cell += step) {
    const start = load<i32>(starts + cell);
    const end = load<i32>(ends + cell);
    if (end < start) break;
    const length = end - start;
    store<u8>(nulls + row, length === 0 ? 1 : 0);
    let rest = length;
    while (rest > 0x7f) {
      store<u8>(at++, (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    store<u8>(at++, rest);
    const source = text + start;
    if (length <= 16) {
      v128.store(at, v128.load(source));
    } else if (length <= 256) {
      for (let i = 0; i < length; i += 16) v128.store(at + i, v128.load(source + i));
    } else {
      memory.copy(at, source, length);
    }
    at += length;
  }
  nextByte = at - out;
  return row;
}

/** Digits of the number that `readNumber` has read before and after the point; 0 before it: the text is no plain number. */
let whole: i32 = 0;
let fraction: i32 = 0;
let negative: bool = false;

/**
 * The digits of a plain number as an integer: a sign, digits without a zero in front, and a point with digits behind it. Texts are not
 * empty and have at most 20 bytes, so that the digits fit.
 */
function readNumber(start: i32, stop: i32): u64 {
  let p = start;
  negative = load<u8>(p) === MINUS;
  if (negative) p++;
  const first = p;
  let mantissa: u64 = 0;
  for (; p < stop; p++) {
    const digit = <u32>load<u8>(p) - ZERO;
    if (digit > 9) break;
    mantissa = mantissa * 10 + digit;
  }
  whole = p - first;
  fraction = 0;
  if (whole > 1 && load<u8>(first) === ZERO) whole = 0;
  if (p === stop) return mantissa;
  const point = p + 1;
  if (load<u8>(p) !== POINT || point === stop) whole = 0;
  for (p = point; p < stop; p++) {
    const digit = <u32>load<u8>(p) - ZERO;
    if (digit > 9) whole = 0;
    mantissa = mantissa * 10 + digit;
  }
  fraction = stop - point;
  return mantissa;
}

/**
 * Writes plain numbers of up to 15 digits as doubles, and empty fields as nulls. Mantissa and power of ten are exact, so that the one
 * rounding of the division is the correct one; zero has no sign.
 *
 * @param powers Powers of ten as doubles, from 10^0.
 * @returns the first row that was not written, or `to`
 */
export function encodeDoubles(
  text: i32,
  starts: i32,
  ends: i32,
  fieldCount: i32,
  field: i32,
  from: i32,
  to: i32,
  nulls: i32,
  out: i32,
  powers: i32,
): i32 {
  let cell = (from * fieldCount + field) << 2;
  const step = fieldCount << 2;
  for (let row = from; row < to; row++, cell += step) {
    const start = load<i32>(starts + cell);
    const end = load<i32>(ends + cell);
    if (start === end) {
      store<u8>(nulls + row, 1);
      store<f64>(out + (row << 3), 0);
      continue;
    }
    if (end < start || end - start > 17) return row;
    const mantissa = readNumber(text + start, text + end);
    if (whole === 0 || whole + fraction > 15) return row;
    let value: f64 = <f64>mantissa;
    if (fraction > 0) value /= load<f64>(powers + (fraction << 3));
    store<u8>(nulls + row, 0);
    store<f64>(out + (row << 3), negative ? 0 - value : value);
  }
  return to;
}

/**
 * Writes plain numbers as integers of `limbs` 32-bit words, times 10^scale, which have up to 18 digits, and empty fields as nulls.
 *
 * @returns the first row that was not written, or `to`
 */
export function encodeDecimals(
  text: i32,
  starts: i32,
  ends: i32,
  fieldCount: i32,
  field: i32,
  from: i32,
  to: i32,
  nulls: i32,
  out: i32,
  scale: i32,
  limbs: i32,
): i32 {
  let cell = (from * fieldCount + field) << 2;
  const step = fieldCount << 2;
  const size = limbs << 2;
  for (let row = from; row < to; row++, cell += step) {
    const start = load<i32>(starts + cell);
    const end = load<i32>(ends + cell);
    let value: i64 = 0;
    store<u8>(nulls + row, start === end ? 1 : 0);
    if (start !== end) {
      if (end < start || end - start > 20) return row;
      value = <i64>readNumber(text + start, text + end);
      let zeros = scale - fraction;
      if (whole === 0 || zeros < 0 || whole + scale > 18) return row;
      for (; zeros > 0; zeros--) value *= 10;
      if (negative) value = -value;
    }
    const at = out + row * size;
    store<i64>(at, value);
    const sign = value >> 63;
    for (let i = 8; i < size; i += 8) store<i64>(at + i, sign);
  }
  return to;
}

/**
 * Writes days of the form YYYY-MM-DD as days since 1970-01-01, and empty fields as nulls.
 *
 * @param least First day that the type holds. @param most Last day.
 * @returns the first row that was not written, or `to`
 */
export function encodeDays(
  text: i32,
  starts: i32,
  ends: i32,
  fieldCount: i32,
  field: i32,
  from: i32,
  to: i32,
  nulls: i32,
  out: i32,
  least: i32,
  most: i32,
): i32 {
  let cell = (from * fieldCount + field) << 2;
  const step = fieldCount << 2;
  for (let row = from; row < to; row++, cell += step) {
    const start = load<i32>(starts + cell);
    const end = load<i32>(ends + cell);
    if (start === end) {
      store<u8>(nulls + row, 1);
      store<i32>(out + (row << 2), 0);
      continue;
    }
    if (end - start !== 10) return row;
    const p = text + start;
    if (load<u8>(p + 4) !== MINUS || load<u8>(p + 7) !== MINUS) return row;
    const y1 = <u32>load<u8>(p) - ZERO;
    const y2 = <u32>load<u8>(p + 1) - ZERO;
    const y3 = <u32>load<u8>(p + 2) - ZERO;
    const y4 = <u32>load<u8>(p + 3) - ZERO;
    const m1 = <u32>load<u8>(p + 5) - ZERO;
    const m2 = <u32>load<u8>(p + 6) - ZERO;
    const d1 = <u32>load<u8>(p + 8) - ZERO;
    const d2 = <u32>load<u8>(p + 9) - ZERO;
    if (y1 > 9 || y2 > 9 || y3 > 9 || y4 > 9 || m1 > 9 || m2 > 9 || d1 > 9 || d2 > 9) return row;
    const year = <i32>(y1 * 1000 + y2 * 100 + y3 * 10 + y4);
    const month = <i32>(m1 * 10 + m2);
    const day = <i32>(d1 * 10 + d2);
    if (year < 1 || month < 1 || month > 12 || day < 1) return row;
    // 30 days in April, June, September and November.
    const length = month === 2 ? (isLeap(year) ? 29 : 28) : 30 + ((month ^ (month >> 3)) & 1);
    if (day > length) return row;
    // Years from March, so that the leap day is the last one.
    const y = month <= 2 ? year - 1 : year;
    const months = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5;
    const value = y * 365 + (y >> 2) - y / 100 + y / 400 + months + day - 1 - 719468;
    if (value < least || value > most) return row;
    store<u8>(nulls + row, 0);
    store<i32>(out + (row << 2), value);
  }
  return to;
}

function isLeap(year: i32): bool {
  return (year & 3) === 0 && (year % 100 !== 0 || year % 400 === 0);
}
