/**
 * True for the markers of a missing value in statistical files: NA, N/A, n/a, null, NULL, NaN, -, ., .., :
 * A marker is null in columns of dates and numbers, and plain text in columns of text.
 */
export const isMarker = (bytes: Uint8Array, start: number, end: number): boolean => {
  const a = bytes[start]!;
  switch (end - start) {
    case 1:
      return a === 0x2d || a === 0x2e || a === 0x3a;
    case 2:
      return (a === 0x2e && bytes[start + 1] === 0x2e) || (a === 0x4e && bytes[start + 1] === 0x41);
    case 3:
      return (
        (a === 0x4e && bytes[start + 1] === 0x2f && bytes[start + 2] === 0x41) || // N/A
        (a === 0x6e && bytes[start + 1] === 0x2f && bytes[start + 2] === 0x61) || // n/a
        (a === 0x4e && bytes[start + 1] === 0x61 && bytes[start + 2] === 0x4e) // NaN
      );
    case 4:
      return (
        (a === 0x6e && bytes[start + 1] === 0x75 && bytes[start + 2] === 0x6c && bytes[start + 3] === 0x6c) ||
        (a === 0x4e && bytes[start + 1] === 0x55 && bytes[start + 2] === 0x4c && bytes[start + 3] === 0x4c)
      );
    default:
      return false;
  }
};
