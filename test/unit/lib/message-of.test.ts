import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { messageOf } from '../../../src/lib/errors.js';
import { freePort } from '../../support/proxies.js';

it('an error of a name with two addresses has the message of each', async () => {
  const port = await freePort();
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  const socket = connect({
    host: 'two.example',
    port,
    lookup: (_name, _options, done) => done(null, addresses),
  });
  const [error] = await once(socket, 'error').catch((thrown: unknown) => [thrown]);
  expect(error).toBeInstanceOf(AggregateError);
  expect(messageOf(error)).toBe(
    `connect ECONNREFUSED 127.0.0.1:${port}; connect ECONNREFUSED 127.0.0.2:${port}`,
  );
});
