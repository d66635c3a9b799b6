/** MCP connection to the product with the protocol's official client. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** Protocol revision of a test: the newest, or the one that a client of 2025 negotiates. */
export type Revision = '2026-07-28' | 'legacy';

export const mcpUrl = (baseUrl: string): URL => new URL('/mcp', baseUrl);

export const connectAssistant = async (
  baseUrl: string,
  key: string,
  revision: Revision = '2026-07-28',
): Promise<Client> => {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: revision === 'legacy' ? 'legacy' : { pin: revision } } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(mcpUrl(baseUrl), {
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
    }),
  );
  return client;
};

export interface ToolError {
  readonly error: string;
  readonly code: string;
  readonly details?: unknown;
}

interface ToolResult {
  /** Text content, parsed as JSON. */
  readonly content: unknown;
  readonly structured: unknown;
  readonly isError: boolean;
}

const call = async (client: Client, name: string, args: Record<string, unknown>): Promise<ToolResult> => {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
  const [first] = content as { type: string; text: string }[];
  return {
    content: JSON.parse(first?.text ?? 'null') as unknown,
    structured: structuredContent,
    isError: isError === true,
  };
};

/** Calls a tool that succeeds; text and structured content must be equal. */
export const callTool = async <T>(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<T> => {
  const { content, structured, isError } = await call(client, name, args);
  if (isError) throw new Error(`${name} failed: ${JSON.stringify(content)}`);
  if (JSON.stringify(content) !== JSON.stringify(structured))
    throw new Error(`text and structured content of ${name} differ`);
  return structured as T;
};

/** Calls a tool that fails. */
export const refusedTool = async (
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<ToolError> => {
  const { content, isError } = await call(client, name, args);
  if (!isError) throw new Error(`${name} answered: ${JSON.stringify(content)}`);
  return content as ToolError;
};
