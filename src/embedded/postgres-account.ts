import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, unavailable } from '../lib/errors.js';
import { findSetpriv } from './launcher.js';

/** Account of the server. PostgreSQL refuses to run as root, so root needs another account for it. */
interface ServerAccount {
  /** Account that must own the files of the server; undefined if it is that of this process. */
  owner: Account | undefined;
  /** Account that `spawn` switches to. Empty if `setpriv` switches, which itself needs root. */
  spawnAs: Account | Record<string, never>;
  /** Arguments of `setpriv`: switch the account, and let it traverse folders that it may not enter. */
  privileges: string[];
}

interface Account {
  uid: number;
  gid: number;
}

const userName = 'postgres';

const lookUp = (): Account | undefined => {
  try {
    const idOf = (what: string): number =>
      Number(execFileSync('id', [what, userName], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
    return { uid: idOf('-u'), gid: idOf('-g') };
  } catch (error) {
    // `id` exits with 1 for an unknown user.
    if (error instanceof Error && 'status' in error && error.status === 1) return undefined;
    throw error;
  }
};

const createUser = (title: string): Account => {
  try {
    execFileSync(
      'useradd',
      ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', userName],
      {
        stdio: 'ignore',
      },
    );
  } catch (error) {
    throw unavailable(
      'component_account',
      `${title} cannot run as root and the user ${userName} cannot be created (${messageOf(error)}): run as an ordinary user or set DATABASE_URL`,
      { cause: error },
    );
  }
  const created = lookUp();
  if (created === undefined) throw new Error(`the user ${userName} was created but is not found`);
  return created;
};

const mayEnter = (folder: string, { uid, gid }: Account): boolean => {
  const { mode, uid: owner, gid: group } = statSync(folder);
  if (owner === uid) return (mode & 0o100) !== 0;
  return (mode & (group === gid ? 0o010 : 0o001)) !== 0;
};

const firstClosedFolder = (path: string, account: Account): string | undefined => {
  for (let folder = path; ; folder = dirname(folder)) {
    if (!mayEnter(folder, account)) return folder;
    if (folder === dirname(folder)) return undefined;
  }
};

/** Effective capabilities of this process by number (capability.h); empty on systems without capabilities. */
const hasCapability = (bit: bigint): boolean => {
  const line = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  return line?.[1] !== undefined && ((BigInt(`0x${line[1]}`) >> bit) & 1n) === 1n;
};

const passCapabilities = [
  { name: 'dac_read_search', bit: 2n },
  // Containers usually grant this capability and not the narrower one.
  { name: 'dac_override', bit: 1n },
];

/**
 * Chooses the account of the server, and the rights that it needs to reach the given folders. A checkout below /root is closed to all other
 * users; there the server gets the one capability that lets it traverse folders.
 */
export const chooseAccount = (title: string, dataDir: string, programs: string): ServerAccount => {
  if (process.getuid?.() !== 0) return { owner: undefined, spawnAs: {}, privileges: [] };
  const account = lookUp() ?? createUser(title);
  const capability = passCapabilities.find(({ bit }) => process.platform === 'linux' && hasCapability(bit));
  const canPass = capability !== undefined && findSetpriv() !== undefined;
  // Without the capability, other users may traverse the product's folder but not list it; its content stays private.
  if (!canPass && firstClosedFolder(dataDir, account) === dataDir) chmodSync(dataDir, 0o711);
  const closed = [dataDir, programs]
    .map((folder) => firstClosedFolder(folder, account))
    .find((found) => found !== undefined);
  if (closed === undefined) return { owner: account, spawnAs: account, privileges: [] };

  if (!canPass) {
    throw unavailable(
      'component_account',
      `${title} runs as user ${userName}, which may not enter ${closed}: set DATA_DIR to a folder it can reach, run as an ordinary user, or set DATABASE_URL`,
    );
  }
  return {
    owner: account,
    spawnAs: {},
    privileges: [
      `--reuid=${account.uid}`,
      `--regid=${account.gid}`,
      '--clear-groups',
      // Otherwise `access(2)`, which the server calls for its own programs, ignores the capability.
      '--securebits=+no_setuid_fixup',
      `--inh-caps=-all,+${capability.name}`,
      `--ambient-caps=-all,+${capability.name}`,
    ],
  };
};
