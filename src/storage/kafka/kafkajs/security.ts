import { readFileSync } from 'node:fs';
import type { KafkaConfig, OauthbearerProviderResponse, SASLOptions } from 'kafkajs';
import { badConfiguration, messageOf } from '../../../lib/errors.js';

/** A client of an authorization server, see RFC 6749, 4.4. */
interface OauthClient {
  readonly tokenUrl: string;
  readonly id: string;
  readonly secret: string;
  readonly scope?: string | undefined;
}

/** Security settings of Kafka from the environment. */
export interface SecuritySettings {
  readonly kafkaTls: boolean;
  readonly kafkaTlsCaFile?: string | undefined;
  readonly kafkaTlsCertFile?: string | undefined;
  readonly kafkaTlsKeyFile?: string | undefined;
  readonly kafkaSaslMechanism?: 'plain' | 'scram-sha-256' | 'scram-sha-512' | 'oauthbearer' | undefined;
  readonly kafkaSaslUsername?: string | undefined;
  readonly kafkaSaslPassword?: string | undefined;
  readonly kafkaOauthTokenUrl?: string | undefined;
  readonly kafkaOauthScope?: string | undefined;
}

const readPem = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw badConfiguration(`${path} cannot be read (${messageOf(error)})`);
  }
};

/** A new token is requested when less than this share of its lifetime is left. */
const renewShare = 0.2;
const tokenWithinMs = 10_000;

interface TokenReply {
  readonly access_token?: unknown;
  readonly expires_in?: unknown;
}

/** Tokens of the client credentials grant. One serves all connections until shortly before it expires. */
const createTokenSource = (client: OauthClient): (() => Promise<OauthbearerProviderResponse>) => {
  let kept: { token: Promise<OauthbearerProviderResponse>; renewAt: number } | undefined;

  const requestToken = async (): Promise<OauthbearerProviderResponse> => {
    const response = await fetch(client.tokenUrl, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret)}`).toString('base64')}`,
      },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        ...(client.scope === undefined ? {} : { scope: client.scope }),
      }),
      signal: AbortSignal.timeout(tokenWithinMs),
    });
    if (!response.ok) throw new Error(`the token endpoint of Kafka answered ${response.status}`);
    const { access_token: value, expires_in: seconds } = (await response.json()) as TokenReply;
    if (typeof value !== 'string') throw new Error('the token endpoint of Kafka gave no access_token');
    // The lifetime of a token is optional in the standard; without it every connection requests a token.
    const lifeMs = typeof seconds === 'number' ? seconds * 1_000 : 0;
    if (kept !== undefined) kept.renewAt = Date.now() + lifeMs * (1 - renewShare);
    return { value };
  };

  return async () => {
    if (kept === undefined || Date.now() >= kept.renewAt) {
      kept = { token: Promise.resolve({ value: '' }), renewAt: Number.POSITIVE_INFINITY };
      kept.token = requestToken();
    }
    const { token } = kept;
    try {
      return await token;
    } catch (error) {
      // The next connection requests a new one.
      if (kept?.token === token) kept = undefined;
      throw error;
    }
  };
};

const tlsOf = (settings: SecuritySettings): NonNullable<KafkaConfig['ssl']> => {
  const { kafkaTlsCaFile: caFile, kafkaTlsCertFile: certFile, kafkaTlsKeyFile: keyFile } = settings;
  if ((certFile === undefined) !== (keyFile === undefined))
    throw badConfiguration('KAFKA_TLS_CERT_FILE and KAFKA_TLS_KEY_FILE belong together');
  if (!settings.kafkaTls) {
    if ((caFile ?? certFile) === undefined) return false;
    throw badConfiguration('KAFKA_TLS_CA_FILE and KAFKA_TLS_CERT_FILE need KAFKA_TLS=true');
  }
  return {
    ...(caFile === undefined ? {} : { ca: [readPem(caFile)] }),
    ...(certFile === undefined ? {} : { cert: readPem(certFile) }),
    ...(keyFile === undefined ? {} : { key: readPem(keyFile) }),
  };
};

const saslOf = (settings: SecuritySettings): SASLOptions | undefined => {
  const {
    kafkaSaslMechanism: mechanism,
    kafkaSaslUsername: username,
    kafkaSaslPassword: password,
    kafkaOauthTokenUrl: tokenUrl,
    kafkaOauthScope: scope,
  } = settings;
  if (mechanism === undefined) return undefined;
  if (username === undefined || password === undefined)
    throw badConfiguration('KAFKA_SASL_MECHANISM needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD');
  if (mechanism !== 'oauthbearer') return { mechanism, username, password } as SASLOptions;
  if (tokenUrl === undefined)
    throw badConfiguration('KAFKA_SASL_MECHANISM=oauthbearer needs KAFKA_OAUTH_TOKEN_URL');
  const client = { tokenUrl, id: username, secret: password, scope };
  return { mechanism, oauthBearerProvider: createTokenSource(client) };
};

/**
 * Converts the settings to options of kafkajs.
 * @throws AppError `bad_configuration` if required settings are missing, or a file cannot be read.
 */
export const securityOptions = (settings: SecuritySettings): Pick<KafkaConfig, 'ssl' | 'sasl'> => {
  const sasl = saslOf(settings);
  return { ssl: tlsOf(settings), ...(sasl === undefined ? {} : { sasl }) };
};
