/**
 * Explains why a server cannot be used: it cannot be reached, it refuses the user, or its certificate is not accepted (unknown
 * authority, other name, outside of its validity).
 */
import { AppError, isAppError, messageOf } from './errors.js';

/** Codes of Node: those of OpenSSL without the prefix X509_V_ERR_, and its own code for a name that does not match. */
const certificateCodes = new Set([
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** True for the code of an error about a certificate that is not accepted. */
export const isCertificateCode = (code: unknown): boolean =>
  typeof code === 'string' && certificateCodes.has(code);

/** The fault of a certificate, as Node describes it; undefined: the error is about something else. */
const faultOf = (error: unknown, depth = 0): string | undefined => {
  if (!(error instanceof Error) || depth > 5) return undefined;
  return isCertificateCode(Reflect.get(error, 'code')) ? error.message : faultOf(error.cause, depth + 1);
};

/** The error that the network or the server reported. Such errors have a code, from Node, PostgreSQL or ClickHouse. */
const reportOf = (error: unknown): Error | undefined => {
  if (isAppError(error)) return error.kind === 'unavailable' ? reportOf(error.cause) : undefined;
  return error instanceof Error && typeof Reflect.get(error, 'code') === 'string' ? error : undefined;
};

/**
 * Runs work that connects to a server for the first time.
 * @param variable Setting with the address of the server.
 * @throws AppError that names the setting: `bad_certificate` if the server's certificate is not accepted, `no_connection` if the server
 * cannot be reached or refuses the connection. Other errors of `work` unchanged.
 */
export const explainConnection = async <T>(variable: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const fault = faultOf(error);
    if (fault !== undefined)
      throw new AppError(
        'invalid',
        'bad_certificate',
        `The certificate of the server at ${variable} is not accepted: ${fault}. ` +
          'Its authority is named by sslrootcert=/path/ca.pem in that address; the name in the address must be one of the certificate.',
        { cause: error },
      );
    const report = reportOf(error);
    if (report === undefined) throw error;
    throw new AppError(
      'invalid',
      'no_connection',
      `The server at ${variable} cannot be used: ${messageOf(report)}`,
      { cause: error },
    );
  }
};
