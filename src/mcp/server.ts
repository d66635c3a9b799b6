/** MCP server for the tools. Each message has one answer, and no state is kept between messages. */
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { orAborted } from '../lib/or-aborted.js';
import type { Tool, ToolRequest } from './tool.js';

/** A request, with a function that reports its errors. */
export interface Call extends ToolRequest {
  /**
   * Body of an error in the format of the API. Also logs faults of the service. @throws the reason of the signal if the client has
   * disconnected.
   */
  describeError(error: unknown): object;
}

export interface McpOptions {
  readonly tools: readonly Tool[];
  readonly version: string;
  /** Parses arguments. @throws AppError 400 that names the invalid ones. */
  readonly parse: (schema: z.ZodType, value: unknown) => unknown;
}

/** Answers a message in the protocol revision of the client. */
export type ServeMcp = (request: Request, message: object, call: Call) => Promise<Response>;

const instructions =
  'Tables of a data catalog and public time series. Find tables with search_datasets, read describe_dataset before query_dataset, calculate with apply rather than fetching many rows, and say which dataset and version an answer is from. Values that look like numbers in quotes are exact: keep their digits. A mean or median is rounded to 15 to 17 digits.';

/** Milliseconds for which clients may cache a list. */
const listMs = 300_000;

const schemaOf = (schema: z.ZodType): { type: 'object' } => ({
  ...z.toJSONSchema(schema, { io: 'input' }),
  type: 'object',
});

const listed = ({ name, title, description, input, output, openWorld = false, writes = false }: Tool) => ({
  name,
  title,
  description,
  inputSchema: schemaOf(input),
  outputSchema: schemaOf(output),
  annotations: {
    title,
    readOnlyHint: !writes,
    destructiveHint: false,
    idempotentHint: !writes,
    openWorldHint: openWorld,
  },
});

/** Refuses a subscription, since the lists of tools never change. */
const notOffered = (message: object): Response =>
  Response.json(
    {
      jsonrpc: '2.0',
      id: Reflect.get(message, 'id') ?? null,
      error: { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' },
    },
    { status: 404 },
  );

export const createMcp = ({ tools, version, parse }: McpOptions): ServeMcp => {
  const byName = new Map(tools.map((tool) => [tool.name, { tool, listing: listed(tool) }]));
  const calls = new WeakMap<Request, Call>();

  const callTool = async (call: Call, name: string, args: unknown) => {
    const { tool } = byName.get(name) ?? {};
    if (tool === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool ${JSON.stringify(name.slice(0, 64))}.`,
      );
    try {
      const answer = await tool.run(call, parse(tool.input, args ?? {}));
      return {
        content: [{ type: 'text' as const, text: JSON.stringify(answer) }],
        structuredContent: answer as Record<string, unknown>,
      };
    } catch (error) {
      return {
        content: [{ type: 'text' as const, text: JSON.stringify(call.describeError(error)) }],
        isError: true,
      };
    }
  };

  const serverFor = (call: Call): Server => {
    const server = new Server(
      { name: 'tabulary', title: 'Tabulary', version },
      {
        // Clients request all lists, even from servers without prompts and resources.
        capabilities: { tools: {}, prompts: {}, resources: {} },
        instructions,
        cacheHints: {
          'tools/list': { ttlMs: listMs, cacheScope: 'private' },
          'prompts/list': { ttlMs: listMs, cacheScope: 'public' },
          'resources/list': { ttlMs: listMs, cacheScope: 'public' },
          'resources/templates/list': { ttlMs: listMs, cacheScope: 'public' },
        },
      },
    );
    server.setRequestHandler('tools/list', () => ({
      tools: [...byName.values()]
        .filter(({ tool }) => tool.writes !== true || !call.caller.key.readOnly)
        .map(({ listing }) => listing),
    }));
    server.setRequestHandler('prompts/list', () => ({ prompts: [] }));
    server.setRequestHandler('resources/list', () => ({ resources: [] }));
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
    server.setRequestHandler('tools/call', ({ params }) => callTool(call, params.name, params.arguments));
    return server;
  };

  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const call = requestInfo && calls.get(requestInfo);
      if (call === undefined) throw new Error('a message without its call');
      return serverFor(call);
    },
    { legacy: 'reject' },
  );

  /** Revisions before 2026-07-28, without sessions. The answer is JSON, not a stream of events. */
  const legacy = async (request: Request, message: object, call: Call): Promise<Response> => {
    const server = serverFor(call);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    });
    await server.connect(transport);
    try {
      return await orAborted(() => transport.handleRequest(request, { parsedBody: message }), call.signal);
    } finally {
      await server.close();
    }
  };

  return async (request, message, call) => {
    if (await isLegacyRequest(request, message)) return legacy(request, message, call);
    if (Reflect.get(message, 'method') === 'subscriptions/listen') return notOffered(message);
    calls.set(request, call);
    return modern.fetch(request, { parsedBody: message });
  };
};
