import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { formatNames } from '../../../src/query/formats/formats.js';
import { downloadsOf, own, requestOf } from './recorded-downloads.js';

const ways = formatNames.flatMap((format) => [
  { format, options: {} },
  { format, options: { $transpose: 'true' } },
]);

describe('an answer that is given up before it is read', () => {
  it.each(ways)('ends its query: $format $options', async ({ format, options }) => {
    const { downloads, opened } = downloadsOf(own);
    const request = requestOf({ $format: format, $filter: "Country eq 'Norway'", ...options });
    const { body } = await downloads.open(await downloads.plan(request), request);
    body.destroy();
    if (!body.closed) await once(body, 'close');
    expect(opened).toHaveLength(1);
    expect(opened.map(({ destroyed }) => destroyed)).toEqual([true]);
  });
});
