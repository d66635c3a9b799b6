/** `Authorization` header of an API key. Not in api.ts, which only Vitest can load. */
export const basic = (key: string): string => `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
