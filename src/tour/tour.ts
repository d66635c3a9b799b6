import { sampleTable } from './sample-table.js';

/** Tour at the first start: takes one table through the public HTTP API, from creation to a filtered download. */
interface TourOptions {
  /** Address of the API, `/api` included. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

const pollMs = 100;
const timeoutMs = 60_000;

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: FormData | object;
}

/** Decodes an address for people; the request has it percent-encoded. */
const readable = (path: string): string => decodeURIComponent(path.replaceAll('+', ' '));

/** @returns The id of the sample table. */
export const takeTour = async ({ baseUrl, apiKey, print, signal }: TourOptions): Promise<number> => {
  const authorization = `Bearer ${apiKey}`;

  let lastLine: string | undefined;
  const call = async ({ method, path, body }: Call): Promise<Response> => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      signal,
      headers: {
        authorization,
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    // Prints repeated polls once.
    const line = `  ${method} ${readable(path)} -> ${response.status}`;
    if (line !== lastLine) print(line);
    lastLine = line;
    if (!response.ok)
      throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return response;
  };
  const json = async <T>(request: Call): Promise<T> => (await (await call(request)).json()) as T;

  print('Taking a sample table through the API:');
  const home = await json<{ id: number; name: string }>({ method: 'GET', path: '/repositories/home' });
  const dataset = await json<{ id: number }>({
    method: 'POST',
    path: '/datasets',
    body: {
      name: 'Electricity generation (sample)',
      repositoryId: home.id,
      description: 'Monthly electricity generation by region and source; made-up figures.',
      sourceName: 'Bundled sample',
    },
  });
  const form = new FormData();
  form.set('data', new Blob([sampleTable()], { type: 'text/csv' }), 'electricity.csv');
  const started = await json<{ id: number }>({
    method: 'PUT',
    path: `/datasets/${dataset.id}/data`,
    body: form,
  });

  const path = `/datasets/${dataset.id}/processes/${started.id}`;
  const deadline = Date.now() + timeoutMs;
  let process = await json<{ status: string; rows: number; error: unknown }>({ method: 'GET', path });
  while (process.status === 'pending') {
    if (Date.now() > deadline) throw new Error('the sample upload did not complete within a minute');
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    process = await json({ method: 'GET', path });
  }
  if (process.status !== 'completed')
    throw new Error(`the sample upload failed: ${JSON.stringify(process.error)}`);
  print(`  ${process.status}: ${process.rows} rows`);

  const filter = "Source eq 'Solar' and Region eq 'South' and Date ge '2025-06-01'";
  const query = new URLSearchParams({ $format: 'csv', $filter: filter, $top: '5' });
  const download = await call({ method: 'GET', path: `/datasets/${dataset.id}/data?${query}` });
  print(`  filter: ${filter}; rows that match: ${download.headers.get('row-count')}; the first five:`);
  for (const line of (await download.text()).trimEnd().split('\n')) print(`    ${line}`);
  return dataset.id;
};
