/** The files that an embedded ClickHouse server starts with. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';

export interface ClickhousePorts {
  readonly http: number;
  /** Undefined for a server that is alone. */
  readonly peers: PeerPorts | undefined;
}

export interface PeerPorts {
  /** Address for other nodes. */
  readonly relay: number;
  /** Port on which it listens for them, behind the relay. */
  readonly tcp: number;
}

export const clickhouseUser = 'tabulary';
/** User of the nodes of a cluster among each other. */
const nodesUser = 'nodes';
export const clusterName = 'tabulary';

/**
 * The server listens as long as this script runs, so its last query never ends. Blocks of one row and no limit per
 * block keep it asleep and let a signal end it within a second.
 */
export const serverScript = (inCluster: boolean): string => `SYSTEM START LISTEN HTTP;
${inCluster ? 'SYSTEM START LISTEN TCP;\n' : ''}SELECT sleepEachRow(1) FROM system.numbers FORMAT Null
SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0;
`;

/**
 * Rights of the product in ClickHouse, and no more: the sources that reach files, addresses and other servers
 * (`file`, `url`, `s3`, `remote`, `executable`, dictionaries, backups) are not granted, nor are users. Other nodes are
 * reached through tables of the engine Distributed, which know no servers but those of the configuration.
 */
const grants = `GRANT SHOW, SELECT, INSERT, ALTER, CREATE DATABASE, CREATE TABLE, CREATE VIEW, CREATE TEMPORARY TABLE,
  DROP, TRUNCATE, OPTIMIZE, KILL QUERY, SYSTEM ON *.*`;
const engines = ['MergeTree', 'Memory', 'View', 'Null', 'Distributed'];

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const sha256 = (password: string): string => createHash('sha256').update(password).digest('hex');

interface ClickhouseUsers {
  readonly password: string;
  /** Password of the nodes among themselves; undefined for a single server. */
  readonly nodesPassword: string | undefined;
  readonly sources: readonly string[];
}

/** Account by which one node reads tables of another for the product; it has no DDL. */
const nodesUserEntry = (password: string): string => `    <${nodesUser}>
      <password_sha256_hex>${sha256(password)}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants><query>GRANT SELECT, INSERT, CREATE TEMPORARY TABLE ON *.*</query></grants>
    </${nodesUser}>
`;

/**
 * The script that keeps the server listening runs as `default`, which cannot have a password here. Its one session
 * is all that the user may have, so no one else can sign in with that name; a session that is opened while the server
 * starts can do nothing but listen.
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
  /** The port at which the server with this configuration reaches each shard's one node: itself at its own. */
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
 * Inserts and merges leave so much of the disk free, for what ClickHouse writes without asking: definitions of tables, logs.
 * 64 MiB.
 */
const keptFree = `<storage_configuration><disks><default>
  <keep_free_space_bytes>67108864</keep_free_space_bytes>
</default></disks></storage_configuration>`;

export const configFile = (folder: string, cluster: ClickhouseCluster | undefined): string =>
  `<clickhouse><users_config>${escapeXml(join(folder, 'users.xml'))}</users_config>
${keptFree}${cluster === undefined ? '' : clusterEntry(cluster)}</clickhouse>\n`;
