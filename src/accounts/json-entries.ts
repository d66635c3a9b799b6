/** Streams JSON. */

/** Rows per page of a list. */
export const pageRows = 500;

/** One value, read only when the stream gets to it, so that a client that has disconnected causes no work. */
export async function* json(read: () => Promise<unknown>): AsyncGenerator<Buffer> {
  yield Buffer.from(`${JSON.stringify(await read(), null, 2)}\n`);
}

/** A list of any length, a page at a time. */
export async function* jsonList(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<Buffer> {
  let between = '[\n';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield Buffer.from(between + page.map((item) => JSON.stringify(item)).join(',\n'));
    between = ',\n';
  }
  yield Buffer.from(between === '[\n' ? '[]\n' : '\n]\n');
}
