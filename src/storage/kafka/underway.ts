/** Messages in flight or last handled by this process, by partition, over all of its members. */
export interface Underway {
  /** Last offset of the messages. */
  readonly last: string;
  readonly handled: Promise<boolean>;
  /** Undefined while in flight. */
  endedAt?: number;
}

/** By group and partition. */
const underway = new Map<string, Underway>();

/** Milliseconds after which a repeated offset means that the topic was created again. */
const rememberedMs = 60_000;

/** @param handled False, or rejected: the messages must be handled again. */
export const beginWork = (key: string, last: string, handled: Promise<boolean>): Underway => {
  const work: Underway = { last, handled };
  underway.set(key, work);
  const end = (isHandled: boolean): void => {
    work.endedAt = Date.now();
    if (!isHandled && underway.get(key) === work) underway.delete(key);
  };
  handled.then(end, () => end(false));
  return work;
};

/** Work that includes a message; undefined: there is none. */
export const workOn = (
  key: string,
  message: { readonly offset: string } | undefined,
): Underway | undefined => {
  const work = underway.get(key);
  if (work === undefined || message === undefined || BigInt(work.last) < BigInt(message.offset))
    return undefined;
  return Date.now() - (work.endedAt ?? Date.now()) < rememberedMs ? work : undefined;
};
