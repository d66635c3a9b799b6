import type { AppError } from '../../lib/errors.js';
import { unexpectedReply } from '../../providers/errors.js';
import { parseExactJson } from '../../providers/exact-json.js';
import type { Provider, UpstreamHttp, UpstreamReply, UpstreamRequest } from '../../providers/provider.js';
import type { BaseUrls } from './address.js';
import { errorOfReply, errorOfWire, sanitize } from './error-mapping.js';
import { keyRedaction, messageRedaction, type Redact, shortestKeyInData } from './redaction.js';
import { carriesKey, toWireRequest } from './request.js';
import { type Transport, WireError, type WireReply } from './transport.js';

/** Outcome of one attempt; `status` is absent without a reply. */
export interface Outcome {
  readonly reply?: UpstreamReply;
  readonly status?: number;
  readonly error?: AppError;
}

/**
 * Builds a request, and returns a function that sends it once: no limits, no retries, no cache.
 * @throws AppError 404 for a path that cannot be sent
 */
export type PrepareRequest = (request: UpstreamRequest) => (timeoutMs?: number) => Promise<Outcome>;

export interface SendOptions {
  readonly provider: Provider;
  readonly baseUrls: BaseUrls;
  readonly key: string | undefined;
  readonly transport: Transport;
  readonly now: () => number;
}

const toReply = (wire: WireReply, text: string, redact: (text: string) => string): UpstreamReply => ({
  status: wire.status,
  header(name) {
    const value = wire.headers.get(name);
    return value === null ? undefined : redact(value);
  },
  text,
});

export const createPrepareRequest = ({
  provider,
  baseUrls,
  key,
  transport,
  now,
}: SendOptions): PrepareRequest => {
  const redactKey = keyRedaction(key);
  const redactMessage = messageRedaction(key);
  const isLong = key !== undefined && key.length >= shortestKeyInData;

  return (request) => {
    const wireRequest = toWireRequest(provider, baseUrls, request, key);
    const keyed = carriesKey(provider, request, key);
    // A reply to a request without the key cannot contain it, only ordinary words that equal it.
    const redact: Redact = keyed ? redactKey : (text) => text;
    return async (timeoutMs = wireRequest.timeoutMs) => {
      try {
        const wire = await transport({ ...wireRequest, timeoutMs });
        const reply = toReply(wire, isLong ? redact(wire.body) : wire.body, redact);
        const error = errorOfReply({ provider, request, reply, keyed, nowMs: now() });
        return error === undefined
          ? { reply, status: wire.status }
          : { status: wire.status, error: sanitize(error, redactMessage) };
      } catch (error) {
        if (error instanceof WireError) return { error: errorOfWire(provider, error) };
        throw error;
      }
    };
  };
};

/** HTTP for connectors, over a function that returns good replies or throws. */
export const createUpstreamHttp = (
  provider: Provider,
  text: (request: UpstreamRequest) => Promise<UpstreamReply>,
): UpstreamHttp => ({
  text,
  async json(request) {
    const reply = await text(request);
    if (reply.status === 204 || reply.text.trim() === '') return undefined;
    try {
      return parseExactJson(reply.text);
    } catch (error) {
      throw unexpectedReply(
        provider,
        'it is not JSON',
        error instanceof SyntaxError ? new Error('not JSON') : error,
      );
    }
  },
});
