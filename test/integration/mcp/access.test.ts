/** Permission matrix of the tools, compared with the equivalent routes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectAssistant, type ToolError } from '../../support/mcp.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import {
  accessTable,
  type CallerName,
  callers,
  type Privacy,
  parseAccessTable,
} from '../http/access-table.js';
import { createWorld, type Subject, type World } from '../http/access-world.js';

let product: TestProduct;
let world: World;
beforeAll(async () => {
  product = await startProduct({ mcpWrites: 'true', trustedProxies: '127.0.0.1' });
  world = await createWorld(product.sql, product.baseUrl);
});
afterAll(() => product?.close());

interface Row {
  readonly tool: string;
  readonly args: (subject: Subject) => Record<string, unknown>;
  /** Operation of the access table with the same permission. */
  readonly operation: string;
  readonly path: (subject: Subject) => string;
  readonly body?: (subject: Subject) => object;
}

/** An unknown provider, so that no upstream is called. */
const slug = 'nowhere';

const rows: readonly Row[] = [
  {
    tool: 'search_datasets',
    args: () => ({}),
    operation: 'GET /search',
    path: () => '/search',
  },
  {
    tool: 'describe_dataset',
    args: ({ datasetId }) => ({ datasetId }),
    operation: 'GET /datasets/{id}/summary',
    path: ({ datasetId }) => `/datasets/${datasetId}/summary`,
  },
  {
    tool: 'query_dataset',
    args: ({ datasetId }) => ({ datasetId, top: 1 }),
    operation: 'POST /datasets/{id}/query',
    path: ({ datasetId }) => `/datasets/${datasetId}/query`,
    body: () => ({ $top: 1 }),
  },
  {
    tool: 'compare_versions',
    args: ({ datasetId, versionId }) => ({ datasetId, from: String(versionId), to: String(versionId) }),
    operation: 'GET /datasets/{id}/versions/{from}/diff/{to}/rows',
    path: ({ datasetId, versionId }) => `/datasets/${datasetId}/versions/${versionId}/diff/${versionId}/rows`,
  },
  {
    tool: 'preview_series',
    args: () => ({ provider: slug, seriesId: 'x' }),
    operation: 'GET /providers/{slug}/series/{seriesId}',
    path: () => `/providers/${slug}/series/x`,
  },
  {
    tool: 'search_series',
    args: () => ({ provider: slug, text: 'x' }),
    operation: 'GET /providers/{slug}/search',
    path: () => `/providers/${slug}/search?q=x`,
  },
  {
    tool: 'keep_series',
    args: ({ repositoryId }) => ({ provider: slug, seriesId: 'x', repositoryId }),
    operation: 'POST /providers/{slug}/series/{seriesId}/dataset',
    path: () => `/providers/${slug}/series/x/dataset`,
    body: ({ repositoryId }) => ({ repositoryId }),
  },
];

let serial = 0;
/** A different address per request, so that refusals are not rate-limited. */
const headersOf = (key: string | undefined): Record<string, string> => {
  serial += 1;
  return {
    'X-Forwarded-For': `10.1.${serial >> 8}.${serial & 255}`,
    ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
  };
};

const byRoute = async (row: Row, subject: Subject, key: string | undefined) => {
  const body = row.body?.(subject);
  const response = await fetch(`${product.baseUrl}${row.path(subject)}`, {
    method: row.operation.split(' ')[0] ?? 'GET',
    headers: { ...headersOf(key), ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, refusal: response.ok ? undefined : (JSON.parse(text) as ToolError) };
};

const byTool = async ({ tool, args }: Row, subject: Subject, key: string | undefined) => {
  const response = await fetch(new URL('/mcp', product.baseUrl), {
    method: 'POST',
    headers: {
      ...headersOf(key),
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool, arguments: args(subject) },
    }),
  });
  if (response.status === 401) return { status: 401 };
  expect(response.status).toBe(200);
  const { result } = (await response.json()) as {
    result: { isError?: boolean; content: { text: string }[] };
  };
  const answer = JSON.parse(result.content[0]?.text ?? '') as ToolError;
  return { status: 200, refusal: result.isError === true ? answer : undefined };
};

const table = parseAccessTable(accessTable);

const expectedOf = (operation: string, privacy: Privacy): Partial<Record<CallerName, number>> => {
  const found = table.filter((row) => row.operation === operation);
  const row = found.find((one) => one.privacy === privacy) ?? found[0];
  if (row === undefined) throw new Error(`the table has no ${operation}`);
  return row.expected;
};

describe.each(
  (['Private', 'Public'] as const).flatMap((privacy) => rows.map((row) => [row.tool, privacy, row] as const)),
)('%s of a %s repository', (_tool, privacy, row) => {
  it('answers every caller like the route, and 401 without a valid key', async () => {
    const subject = world.shared(privacy);
    const expected = expectedOf(row.operation, privacy);
    for (const caller of callers) {
      const key = world.keyOf(caller);
      const route = await byRoute(row, subject, key);
      const tool = await byTool(row, subject, key);
      expect([caller, route.status]).toEqual([caller, expected[caller]]);
      if (key === undefined || route.status === 401) expect([caller, tool.status]).toEqual([caller, 401]);
      else expect([caller, tool.refusal]).toEqual([caller, route.refusal]);
    }
  });
});

it('the tool that writes is listed only for keys with write access', async () => {
  const toolsOf = async (caller: CallerName): Promise<string[]> => {
    const client = await connectAssistant(product.baseUrl, world.keyOf(caller) ?? '');
    const { tools } = await client.listTools();
    await client.close();
    return tools.map(({ name }) => name);
  };
  expect(await toolsOf('owner')).toContain('keep_series');
  expect(await toolsOf('ro')).not.toContain('keep_series');
});
