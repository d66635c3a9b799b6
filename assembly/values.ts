/** Plain values of one field as a column of ClickHouse: a byte per row that is 1 for null, and the values. */

const MINUS: i32 = 0x2d;
const POINT: i32 = 0x2e;
const ZERO: i32 = 0x30;

let writtenBytes: i32 = 0;

/** Bytes that `encodeTexts` has written. */
export function written(): i32 {
  return writtenBytes;
}

/**
 * Copies texts with their lengths in front. Stops at a field with doubled quotes.
 *
 * @returns the first row that was not written, or `to`; `written` says how many bytes were
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
  writtenBytes = at - out;
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
