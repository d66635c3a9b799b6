import { expect, it } from 'vitest';
import { allPages, maxListed } from '../../../src/providers/listing.js';

const provider = { slug: 'x', name: 'X' };

it('a list with more entries than allowed is refused after its first page', async () => {
  let loaded = 0;
  const load = async () => {
    loaded += 1;
    return { total: maxListed + 1, items: [1] };
  };
  await expect(allPages(provider, load)).rejects.toMatchObject({ code: 'upstream_too_large' });
  expect(loaded).toBe(1);
});

it('pages are joined until the list has as many entries as reported', async () => {
  const load = async (offset: number) => ({ total: 3, items: [offset] });
  expect((await allPages(provider, load)).items).toEqual([0, 1, 2]);
  const more = async () => ({ total: 3, items: [1, 2] });
  await expect(allPages(provider, more)).rejects.toMatchObject({ code: 'unexpected_reply' });
  await expect(allPages(provider, load, 2)).rejects.toMatchObject({ code: 'upstream_too_large' });
});
