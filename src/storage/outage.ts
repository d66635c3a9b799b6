import { isCertificateCode } from '../lib/connection-faults.js';
import { isClickHouseException, isPassing } from './clickhouse/errors.js';

/** Codes of Node for a peer that cannot be reached or has disconnected. */
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/**
 * SQLSTATE classes: connection failure, insufficient resources, stop or start by an operator (also a statement that took too long),
 * deadlock or serialization failure.
 */
const databaseCodes = /^(08|53|57|40)[0-9A-Z]{3}$/;

/** Messages of the pool of database connections that have no code. */
const poolMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered)/;

/** True if a dependency is down or overloaded, so that a retry may succeed. */
export const isOutage = (error: unknown, depth = 0): boolean => {
  if (!(error instanceof Error) || depth > 5) return false;
  const code: unknown = Reflect.get(error, 'code');
  if (typeof code === 'string' && (networkCodes.has(code) || databaseCodes.test(code))) return true;
  // The server was reached before, so its certificate has expired, or another server responds.
  if (isCertificateCode(code)) return true;
  if (isClickHouseException(error) && isPassing(error)) return true;
  return poolMessages.test(error.message) || isOutage(error.cause, depth + 1);
};

/** True for SQLSTATE 23503: a row that the statement refers to was deleted meanwhile. */
export const isGoneMeanwhile = (error: unknown): boolean =>
  error instanceof Error && Reflect.get(error, 'code') === '23503';

/** SQLSTATE classes: a value out of range or malformed, a violated constraint, a limit of the program. */
const dataCodes = /^(22|23|54)[0-9A-Z]{3}$/;

/**
 * True for an error that the data cause and not the state of a server, so that a retry with the same data fails again. Unknown errors may
 * be transient.
 */
export const isDataFault = (error: unknown): boolean => {
  if (!(error instanceof Error) || isOutage(error) || isGoneMeanwhile(error)) return false;
  const code: unknown = Reflect.get(error, 'code');
  if (typeof code === 'string' && dataCodes.test(code)) return true;
  return error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError;
};
