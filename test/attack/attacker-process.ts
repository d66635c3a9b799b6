import { fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { viteNode } from '../support/vite-node.js';
import type { Command, CommandResult } from './attacker.js';
import type { Target } from './client.js';

/** Attacking process, controlled by the measuring one. */
export interface Attacker {
  /** Creates the datasets for an attack. @throws Error if that fails */
  prepare(attack: string): Promise<void>;
  start(attack: string): Promise<void>;
  /** Ends the attack and closes its connections. */
  stop(): Promise<CommandResult>;
  close(): void;
}

const script = fileURLToPath(new URL('./attacker.ts', import.meta.url));

export const startAttacker = async (target: Target): Promise<Attacker> => {
  const child = fork(viteNode, [script], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
  // Real attackers use other machines: their CPU time must not slow the product.
  if (child.pid !== undefined) setPriority(child.pid, 15);
  const send = (command: Command): Promise<CommandResult> =>
    new Promise((resolve, reject) => {
      const settle = (): void => {
        child.off('message', onMessage);
        child.off('exit', onExit);
      };
      const onMessage = (done: unknown): void => {
        settle();
        resolve(done as CommandResult);
      };
      const onExit = (code: number | null): void => {
        settle();
        reject(new Error(`the attacking process exited with ${code}`));
      };
      child.on('message', onMessage);
      child.on('exit', onExit);
      child.send(command);
    });
  await send({ kind: 'target', target });
  return {
    async prepare(attack) {
      const { fault } = await send({ kind: 'prepare', attack });
      if (fault !== undefined) throw new Error(`${attack} could not be prepared: ${fault}`);
    },
    async start(attack) {
      await send({ kind: 'start', attack });
    },
    stop: () => send({ kind: 'stop' }),
    close: () => {
      child.disconnect();
    },
  };
};
