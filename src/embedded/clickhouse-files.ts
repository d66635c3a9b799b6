/** The files that an embedded ClickHouse server starts with. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';

export interface ClickhousePorts {
  readonly http: number;
  /** Undefined for a single server. */
  readonly peers: PeerPorts | undefined;
}

export interface PeerPorts {
  /** Address for other nodes. */
  readonly relay: number;
  /** Port on which it listens for them, behind the relay. */
  readonly tcp: number;
}

export const clickhouseUser = 'tabulary';
/** User for connections between the nodes of a cluster. */
const nodesUser = 'nodes';
export const clusterName = 'tabulary';

/**
 * The server listens while this script runs, so its last query never ends. Blocks of one row without a limit per block let it
 * sleep, and let a signal end it within a second.
 */
export const serverScript = (inCluster: boolean): string => `SYSTEM START LISTEN HTTP;
${inCluster ? 'SYSTEM START LISTEN TCP;\n' : ''}SELECT sleepEachRow(1) FROM system.numbers FORMAT Null
SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0;
`;

/**
 * All rights of the product in ClickHouse. Not granted: management of users, and sources that reach files, addresses and other
 * servers (`file`, `url`, `s3`, `remote`, `executable`, dictionaries, backups). Other nodes are read through Distributed
 * tables, which use only servers of the configuration.
 */
const grants = `GRANT SHOW, SELECT, INSERT, ALTER, CREATE DATABASE, CREATE TABLE, CREATE VIEW, CREATE TEMPORARY TABLE,
  DROP, TRUNCATE, OPTIMIZE, KILL QUERY, SYSTEM ON *.*`;
const engines = ['MergeTree', 'Memory', 'View', 'Null', 'Distributed'];

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const sha256 = (password: string): string => createHash('sha256').update(password).digest('hex');

interface ClickhouseUsers {
  readonly password: string;
  /** Password for connections between the nodes; undefined for a single server. */
  readonly nodesPassword: string | undefined;
  readonly sources: readonly string[];
}

/** Account with which one node reads tables of another for the product; it may not run DDL. */
const nodesUserEntry = (password: string): string => `    <${nodesUser}>
      <password_sha256_hex>${sha256(password)}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants><query>GRANT SELECT, INSERT, CREATE TEMPORARY TABLE ON *.*</query></grants>
    </${nodesUser}>
`;

/**
 * The script that keeps the server listening runs as `default`, which cannot have a password here. The user may have only that one
 * session, so nobody else can sign in with its name; a session that is opened while the server starts can only
 * listen.
 */
export const usersFile = ({ password, nodesPassword, sources }: ClickhouseUsers): string => `<clickhouse>
  <profiles><default/><listener><max_sessions_for_user>1</max_sessions_for_user></listener></profiles>
  <quotas><default/></quotas>
  <users>
    <default>
      <password></password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>listener</profile>
      <quota>default</quota>
      <grants>
        <query>GRANT SYSTEM LISTEN ON *.*</query>
        <query>GRANT SELECT ON system.numbers</query>
      </grants>
    </default>
    <${clickhouseUser}>
      <password_sha256_hex>${sha256(password)}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants>
        <query>${grants}</query>
${engines.map((engine) => `        <query>GRANT TABLE ENGINE ON ${engine}</query>`).join('\n')}
${sources.map((name) => `        <query>GRANT READ ON ${name}</query><query>GRANT TABLE ENGINE ON *</query>`).join('\n')}
      </grants>
    </${clickhouseUser}>
${nodesPassword === undefined ? '' : nodesUserEntry(nodesPassword)}  </users>
</clickhouse>
`;

interface ClickhouseCluster {
  /** Ports at which the server with this configuration reaches the node of each shard; its own is the port at which it listens. */
  readonly shards: readonly number[];
  readonly password: string;
}

const shardEntry = (port: number, password: string): string => `    <shard>
      <internal_replication>true</internal_replication>
      <replica>
        <host>127.0.0.1</host><port>${port}</port><user>${nodesUser}</user><password>${password}</password>
      </replica>
    </shard>`;

const clusterEntry = ({ shards, password }: ClickhouseCluster): string => `
  <remote_servers>
    <${clusterName}>
${shards.map((port) => shardEntry(port, password)).join('\n')}
    </${clusterName}>
  </remote_servers>
`;

/**
 * Bytes of disk space that inserts and merges leave free, for files that ClickHouse writes without a check: table definitions, logs.
 * 64 MiB.
 */
const keptFree = `<storage_configuration><disks><default>
  <keep_free_space_bytes>67108864</keep_free_space_bytes>
</default></disks></storage_configuration>`;

export const configFile = (folder: string, cluster: ClickhouseCluster | undefined): string =>
  `<clickhouse><users_config>${escapeXml(join(folder, 'users.xml'))}</users_config>
${keptFree}${cluster === undefined ? '' : clusterEntry(cluster)}</clickhouse>\n`;
