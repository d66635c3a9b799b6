/** Bytes that one request has taken of a budget. */
export interface ByteShare {
  /** @throws what the budget refuses with when the owner has used up its share, or all bytes are taken. */
  add(bytes: number): void;
  /** Gives everything back; exactly once however often it is called. */
  close(): void;
}

/** Bounds the bytes that are kept at a time, over all requests and for each owner. */
export interface ByteBudget {
  /** @param owner account, or address of an anonymous caller. */
  open(owner: string): ByteShare;
}

interface ByteBudgetOptions {
  /** Bytes over all owners. */
  readonly totalBytes: number;
  readonly ownerBytes: number;
  /** The error for taking more than the share of an owner (`own`), or than there is (`all`). */
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
