import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createIdentifyClient, isNetwork, siteOf } from '../../../src/http/client-address.js';
import { createApiUrl } from '../../../src/http/routes/api-url.js';

const request = (
  remoteAddress: string,
  headers: IncomingMessage['headers'] = {},
  socket: object = {},
): IncomingMessage => ({ socket: { remoteAddress, ...socket }, headers }) as unknown as IncomingMessage;

describe('createIdentifyClient', () => {
  const identify = createIdentifyClient(['10.0.0.0/8', '192.0.2.7', 'fd00::/8']);

  it.each([
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['::ffff:203.0.113.9', undefined, '203.0.113.9'],
    ['10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', '6.6.6.6, 198.51.100.1, 192.0.2.7', '198.51.100.1'],
    ['fd00::1', '2001:db8::5', '2001:db8::5'],
    ['10.1.2.3', '10.9.9.9, 10.8.8.8', '10.9.9.9'],
    ['10.1.2.3', 'unknown', '10.1.2.3'],
    ['10.1.2.3', '', '10.1.2.3'],
    ['10.1.2.3', undefined, '10.1.2.3'],
  ])('behind the peer %s with X-Forwarded-For %s the client is %s', (peer, forwarded, address) => {
    expect(identify(request(peer, { 'x-forwarded-for': forwarded })).address).toBe(address);
  });

  it('accepts protocol and host only from trusted proxies', () => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'data.example' };
    expect(identify(request('10.1.2.3', headers))).toMatchObject({
      secure: true,
      forwardedHost: 'data.example',
    });
    expect(identify(request('203.0.113.9', headers))).toMatchObject({
      secure: false,
      forwardedHost: undefined,
    });
  });
});

it.each([
  ['10.0.0.0/8', true],
  ['10.0.0.1', true],
  ['fd00::/8', true],
  ['::1', true],
  ['10.0.0.0/33', false],
  ['fd00::/129', false],
  ['proxy.example', false],
  ['10.0.0.0/8/8', false],
  ['10.0.0/8', false],
])('%s is an address or a network: %s', (text, expected) => {
  expect(isNetwork(text)).toBe(expected);
});

it.each([
  ['203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:DB8::9', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s belongs to the site %s', (address, site) => {
  expect(siteOf(address)).toBe(site);
});

describe('createApiUrl', () => {
  const identifyClient = createIdentifyClient(['10.0.0.0/8']);
  const own = { localAddress: '127.0.0.1', localPort: 8080 };
  const url = (publicUrl: string | undefined, from: IncomingMessage): string =>
    createApiUrl({ publicUrl, identifyClient, base: '/api' })(from);

  it.each([
    ['127.0.0.1:8080', 'http://127.0.0.1:8080/api'],
    ['LOCALHOST:8080', 'http://localhost:8080/api'],
    ['evil.example', '/api'],
    ['evil.example:8080', '/api'],
    ['127.0.0.1:8081', '/api'],
    [undefined, '/api'],
  ])('for the host %s is %s', (host, expected) => {
    expect(url(undefined, request('127.0.0.1', host === undefined ? {} : { host }, own))).toBe(expected);
  });

  it('comes from the settings, otherwise from a trusted proxy', () => {
    const forwarded = { host: 'inner', 'x-forwarded-host': 'data.example', 'x-forwarded-proto': 'https' };
    expect(url('https://public.example/', request('127.0.0.1', { host: 'evil.example' }, own))).toBe(
      'https://public.example/api',
    );
    expect(url(undefined, request('10.0.0.1', forwarded, own))).toBe('https://data.example/api');
    expect(url(undefined, request('10.0.0.1', { ...forwarded, 'x-forwarded-host': 'a/b' }, own))).toBe(
      '/api',
    );
    expect(url(undefined, request('203.0.113.9', forwarded, own))).toBe('/api');
  });
});
