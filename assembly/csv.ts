/**
 * Loops over the bytes of CSV that JavaScript runs too slowly: 16 bytes are tested at once for the ones that end a field or a
 * record. Everything here is a short path. Where a record or value is not plain, the loop stops there and the caller takes the
 * path in JavaScript, which defines the result (`src/csv`): both give the same bytes.
 *
 * Memory is laid out by the caller; `text` is followed by 64 readable bytes, and outputs have room for 16 bytes too many.
 */

export { indexPlain, line, next, quoted, quoteLine, recordLine, recordStart, scanRecords } from './records';
export { encodeDays, encodeDecimals, encodeDoubles, encodeTexts, written } from './values';
