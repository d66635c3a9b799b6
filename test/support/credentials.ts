/** The header `Authorization` with an API key. Outside of api.ts, which only Vitest can load. */
export const basic = (key: string): string => `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
