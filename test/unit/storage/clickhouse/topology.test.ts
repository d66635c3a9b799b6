import { describe, expect, it } from 'vitest';
import { type ClusterNode, shardsOf, type TopologyOptions } from '../../../../src/rows/topology.js';

const options: TopologyOptions = { cluster: 'main', url: 'https://rows:p%40ss@entry.example:8443/ch' };

const node = (shard: number, replica: number, host: string, port = 9440): ClusterNode => ({
  shard,
  replica,
  host,
  port,
  weight: 1,
});

const hosts = [node(1, 1, 'a.example'), node(1, 2, 'b.example'), node(2, 1, 'c.example')];

describe('addresses of the nodes of a cluster', () => {
  it('take the host from ClickHouse, the port from the nodes, and account and path from CLICKHOUSE_URL', () => {
    const ports = new Map([
      [1, 9001],
      [2, 9002],
    ]);
    expect(shardsOf(hosts, ports, options)).toEqual([
      {
        number: 1,
        weight: 1,
        replicas: [
          { url: 'https://rows:p%40ss@a.example:9001/ch', host: 'a.example', tcpPort: 9440 },
          { url: 'https://rows:p%40ss@b.example:9001/ch', host: 'b.example', tcpPort: 9440 },
        ],
      },
      expect.objectContaining({
        number: 2,
        replicas: [{ url: 'https://rows:p%40ss@c.example:9002/ch', host: 'c.example', tcpPort: 9440 }],
      }),
    ]);
  });

  it('take the port of CLICKHOUSE_URL for a host that is down', () => {
    const [, down] = shardsOf(hosts, new Map([[1, 9001]]), options);
    expect(down?.replicas[0].url).toBe('https://rows:p%40ss@c.example:8443/ch');
  });

  it('are not guessed for nodes that share a host', () => {
    const nodes = [node(1, 1, '127.0.0.1', 9001), node(2, 1, '127.0.0.1', 9002)];
    expect(() => shardsOf(nodes, new Map([[1, 8001]]), options)).toThrow(
      /shard 2 of ClickHouse at 127\.0\.0\.1:9002 does not answer.*CLICKHOUSE_NODE_URLS/,
    );
  });

  it('have brackets around an IPv6 address', () => {
    expect(shardsOf([node(1, 1, 'fd00::7')], new Map([[1, 8123]]), options)[0]?.replicas[0].url).toBe(
      'https://rows:p%40ss@[fd00::7]:8123/ch',
    );
  });

  it('are those of CLICKHOUSE_NODE_URLS in order, with account and parameters of CLICKHOUSE_URL where they have none', () => {
    const nodeUrls = ['http://x:1', 'http://other:secret@y:2?sslrootcert=/b.pem', 'http://z:3'];
    const url = `${options.url}?sslrootcert=/a.pem`;
    const shards = shardsOf(hosts, new Map(), { ...options, url, nodeUrls });
    expect(shards.flatMap(({ replicas }) => replicas.map(({ url }) => url))).toEqual([
      'http://rows:p%40ss@x:1/?sslrootcert=/a.pem',
      'http://other:secret@y:2/?sslrootcert=/b.pem',
      'http://rows:p%40ss@z:3/?sslrootcert=/a.pem',
    ]);
  });

  it('are refused if their number is not that of the nodes', () => {
    expect(() => shardsOf(hosts, new Map(), { ...options, nodeUrls: ['http://x:1'] })).toThrow(
      'CLICKHOUSE_NODE_URLS has 1 addresses, cluster main 3 nodes',
    );
  });
});
