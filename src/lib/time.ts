/** ISO 8601 in UTC without zone offset, the format of times in answers. */
export const isoUtc = (time: Date): string => time.toISOString().slice(0, -1);

export const isoUtcOrNull = (time: Date | null): string | null => (time === null ? null : isoUtc(time));
