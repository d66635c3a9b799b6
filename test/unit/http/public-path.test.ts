import { expect, it } from 'vitest';
import { isPublicUrl, publicPathOf } from '../../../src/http/public-path.js';

it.each([
  [undefined, ''],
  ['https://data.example.org', ''],
  ['https://data.example.org/', ''],
  ['https://data.example.org/tables', '/tables'],
  ['https://data.example.org:8443/open/tables//', '/open/tables'],
])('the path of %s is "%s"', (url, path) => {
  expect(publicPathOf(url)).toBe(path);
});

it.each(['https://data.example.org', 'http://localhost:8080/', 'https://data.example.org/open-data/v1.0/~x'])(
  '%s is a valid public URL',
  (url) => expect(isPublicUrl(url)).toBe(true),
);

it.each([
  'https://data.example.org/?x=1',
  'https://data.example.org/#top',
  'https://data.example.org/tables?',
  'https://ada:secret@data.example.org/',
  'https://data.example.org/a;Domain=example.org',
  'data.example.org',
])('%s is not a valid public URL', (url) => expect(isPublicUrl(url)).toBe(false));
