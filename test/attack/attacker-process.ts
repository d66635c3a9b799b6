import { fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Done, Order } from './attacker.js';
import type { Place } from './ground.js';

/** The attacking process, seen from the one that measures. */
export interface Attacker {
  /** Makes what the attack needs. @throws Error when that fails. */
  prepare(attack: string): Promise<void>;
  start(attack: string): Promise<void>;
  /** Ends the attack and every connection of it. */
  stop(): Promise<Done>;
  close(): void;
}

const viteNode = fileURLToPath(new URL('../../node_modules/vite-node/vite-node.mjs', import.meta.url));
const script = fileURLToPath(new URL('./attacker.ts', import.meta.url));

export const startAttacker = async (place: Place): Promise<Attacker> => {
  const child = fork(viteNode, [script], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
  // Attackers come from elsewhere: what they compute is not the product's to pay.
  if (child.pid !== undefined) setPriority(child.pid, 15);
  const tell = (order: Order): Promise<Done> =>
    new Promise((resolve, reject) => {
      const settle = (): void => {
        child.off('message', onMessage);
        child.off('exit', onExit);
      };
      const onMessage = (done: unknown): void => {
        settle();
        resolve(done as Done);
      };
      const onExit = (code: number | null): void => {
        settle();
        reject(new Error(`the attacking process ended with ${code}`));
      };
      child.on('message', onMessage);
      child.on('exit', onExit);
      child.send(order);
    });
  await tell({ kind: 'place', place });
  return {
    async prepare(attack) {
      const { fault } = await tell({ kind: 'prepare', attack });
      if (fault !== undefined) throw new Error(`${attack} could not be prepared: ${fault}`);
    },
    async start(attack) {
      await tell({ kind: 'start', attack });
    },
    stop: () => tell({ kind: 'stop' }),
    close: () => {
      child.disconnect();
    },
  };
};
