import { AsyncLocalStorage } from 'node:async_hooks';

/** On whose behalf something is done, and from where. */
export type Actor =
  | {
      readonly kind: 'account';
      readonly accountId: number;
      readonly accountName: string;
      readonly keyId: number;
      /** Address of the client. */
      readonly address: string;
      readonly requestId: string;
    }
  /** A command of an operator on the machine. `by`: user and host. */
  | { readonly kind: 'command'; readonly by: string }
  | { readonly kind: 'service' };

const current = new AsyncLocalStorage<Actor>();

/** Runs `work`, and everything that it starts, on behalf of an actor. */
export const actAs = <T>(actor: Actor, work: () => T): T => current.run(actor, work);

/** The actor of the current work; the service itself outside of `actAs`. */
export const currentActor = (): Actor => current.getStore() ?? { kind: 'service' };
