/** Parses the address of ClickHouse. A private certificate authority is given as in an address of PostgreSQL. */
import { readFileSync } from 'node:fs';
import type { ClickHouseClientConfigOptions } from '@clickhouse/client';
import { type AppError, badConfiguration, messageOf } from '../../lib/errors.js';

export interface ConnectionOptions {
  readonly url: string;
  readonly tls?: NonNullable<ClickHouseClientConfigOptions['tls']>;
}

const badAddress = (text: string): AppError => badConfiguration(`CLICKHOUSE_URL: ${text}`);

const parameter = 'sslrootcert';

const readPem = (path: string): Buffer => {
  try {
    return readFileSync(path);
  } catch (error) {
    throw badAddress(`${parameter} cannot be read (${messageOf(error)})`);
  }
};

/**
 * Options of the vendor's client. Its own parameters are refused, since reads do not use that client. `sslrootcert` is the path of a PEM
 * file with the authorities that sign the server's certificate.
 * @throws AppError `bad_configuration` for another parameter, for a file that cannot be read, and for one without https.
 */
export const connectionOptions = (address: string): ConnectionOptions => {
  const url = new URL(address);
  const other = [...url.searchParams.keys()].find((name) => name !== parameter);
  if (other !== undefined) throw badAddress(`unknown parameter ${other}; the only one is ${parameter}`);
  const path = url.searchParams.get(parameter);
  if (path === null) return { url: address };
  if (url.protocol !== 'https:') throw badAddress(`${parameter} needs https://`);
  url.searchParams.delete(parameter);
  return { url: url.href, tls: { ca_cert: readPem(path) } };
};
