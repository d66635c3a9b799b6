/** Bytes of a budget that one request uses. */
export interface ByteShare {
  /** @throws the error of `refuse` if the share of the owner or the budget is used up. */
  add(bytes: number): void;
  /** Releases all bytes. Idempotent. */
  close(): void;
}

/** Limits the bytes in memory, over all requests and for each owner. */
export interface ByteBudget {
  /** @param owner Account, or address of an anonymous caller. */
  open(owner: string): ByteShare;
}

interface ByteBudgetOptions {
  /** Bytes of all owners together. */
  readonly totalBytes: number;
  readonly ownerBytes: number;
  /** Error for exceeding the share of an owner (`own`) or the budget (`all`). */
  readonly refuse: (what: 'own' | 'all') => Error;
}

export const createByteBudget = ({ totalBytes, ownerBytes, refuse }: ByteBudgetOptions): ByteBudget => {
  const byOwner = new Map<string, number>();
  let total = 0;
  return {
    open(owner) {
      let held = 0;
      const take = (bytes: number): void => {
        held += bytes;
        total += bytes;
        const now = (byOwner.get(owner) ?? 0) + bytes;
        if (now === 0) byOwner.delete(owner);
        else byOwner.set(owner, now);
      };
      return {
        add(bytes) {
          if ((byOwner.get(owner) ?? 0) + bytes > ownerBytes) throw refuse('own');
          if (total + bytes > totalBytes) throw refuse('all');
          take(bytes);
        },
        close: () => take(-held),
      };
    },
  };
};
