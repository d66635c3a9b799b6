import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { invalid } from '../../lib/errors.js';
import { type Call, createMcp } from '../../mcp/server.js';
import type { ShownRows, Tool } from '../../mcp/tool.js';
import type { Caller } from '../../model/permission.js';
import { answerOfError, logError } from '../error-answer.js';
import { quoteSentId } from '../parameters.js';
import { anyCaller, type Reply, type Route, type RouteRequest, route } from '../route.js';
import { parseWith } from '../validation.js';
import { meterOf, rightToRead } from './download-answer.js';

export interface McpRouteDeps {
  readonly tools: readonly Tool[];
  readonly version: string;
  /** Address of the API as this client reaches it. */
  readonly apiUrl: (request: IncomingMessage) => string;
}

type Request = RouteRequest<unknown, unknown, unknown, Caller, unknown>;

/** Headers that the protocol uses. */
const readHeaders = /^(?:mcp-|accept$|content-type$)/;

/** The request in the form that the package accepts. The package does not use the address. */
const webRequest = ({ raw, signal }: Request): globalThis.Request => {
  const headers = Object.entries(raw.headers).filter(([name]) => readHeaders.test(name));
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
    signal,
  });
};

/** One message. @throws AppError 400 for a list, which no revision since 2025-06-18 has. */
const messageOf = (body: unknown): object => {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw invalid('invalid_request', 'body: must be one JSON-RPC message; lists of messages are not offered');
};

export const createMcpRoute = ({ tools, version, apiUrl }: McpRouteDeps): Route => {
  const serve = createMcp({
    tools,
    version,
    parse: (schema, value) => parseWith(schema, value, 'arguments'),
  });

  /** The call, and the rows of its answer once it has returned. */
  const callOf = (request: Request): { readonly call: Call; readonly shown: () => ShownRows | undefined } => {
    const { caller, owner, requestId, signal, log, raw, releasePermit } = request;
    let rows: ShownRows | undefined;
    const text = JSON.stringify(request.body);
    const call: Call = {
      caller,
      owner,
      requestId,
      signal,
      apiUrl: apiUrl(raw),
      releasePermit,
      shows(shown) {
        rows = shown;
      },
      describeError(error) {
        signal.throwIfAborted();
        const answer = answerOfError(error, {
          requestId,
          quote: (message) => quoteSentId(message, {}, text),
        });
        logError(log, error, answer);
        const { code, message, known } = answer;
        return { error: message, code, ...known };
      },
    };
    return { call, shown: () => rows };
  };

  const replyOf = async (
    request: Request,
    response: Response,
    rows: ShownRows | undefined,
  ): Promise<Reply> => {
    const text = await response.text();
    return {
      status: response.status,
      headers: {
        'Content-Type': response.headers.get('content-type') ?? 'application/json',
        'Cache-Control': 'no-store',
      },
      // A notification has an empty answer; null would be sent as JSON.
      body: Buffer.from(text),
      ...(rows === undefined
        ? {}
        : { right: rightToRead(request.caller, rows.datasetId), meter: meterOf(rows.ticket, request.log) }),
    };
  };

  return route({
    method: 'POST',
    path: '/mcp',
    summary: 'MCP for assistants',
    description:
      'Streamable HTTP of the Model Context Protocol, without sessions and streams: one message, one answer.',
    tags: ['MCP'],
    auth: 'required',
    permit: 'own',
    protocol: 'mcp',
    // `protocol` already refuses pages of other sites.
    changesNothing: true,
    body: z.unknown(),
    authorize: anyCaller,
    responses: {
      200: { description: 'The answer to the message.', schema: z.record(z.string(), z.unknown()) },
      202: { description: 'The message was a notification.' },
    },
    errors: [402, 403, 404],
    handler: async (request) => {
      const message = messageOf(request.body);
      const { call, shown } = callOf(request);
      try {
        const response = await serve(webRequest(request), message, call);
        request.signal.throwIfAborted();
        return await replyOf(request, response, shown());
      } catch (error) {
        await shown()?.ticket.cancel();
        throw error;
      }
    },
  });
};
