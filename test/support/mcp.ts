/** An assistant's connection to the product, by the protocol's own client. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** Revisions that a test asks for: the newest, or whatever a client of 2025 negotiates. */
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

interface Answered {
  /** The text, read as JSON. */
  readonly content: unknown;
  readonly structured: unknown;
  readonly isError: boolean;
}

const call = async (client: Client, name: string, args: Record<string, unknown>): Promise<Answered> => {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
  const [first] = content as { type: string; text: string }[];
  return {
    content: JSON.parse(first?.text ?? 'null') as unknown,
    structured: structuredContent,
    isError: isError === true,
  };
};

/** Calls a tool that answers; both parts of the answer say the same. */
export const callTool = async <T>(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<T> => {
  const { content, structured, isError } = await call(client, name, args);
  if (isError) throw new Error(`${name} failed: ${JSON.stringify(content)}`);
  if (JSON.stringify(content) !== JSON.stringify(structured))
    throw new Error('the parts of an answer differ');
  return structured as T;
};

/** Calls a tool that refuses. */
export const refusedTool = async (
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<ToolError> => {
  const { content, isError } = await call(client, name, args);
  if (!isError) throw new Error(`${name} answered: ${JSON.stringify(content)}`);
  return content as ToolError;
};
