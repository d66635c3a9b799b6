/** A bounded number of places; who finds none waits in line. */
export interface Slots {
  /** Resolves with the function that gives the place back (safe to call twice). */
  take(): Promise<() => void>;
  readonly taken: number;
  readonly waiting: number;
}

export const createSlots = (places: number): Slots => {
  const line: (() => void)[] = [];
  let taken = 0;

  const createRelease = (): (() => void) => {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = line.shift();
      // The place goes straight to the next in line: `taken` stays.
      if (next === undefined) taken -= 1;
      else next();
    };
  };

  return {
    async take() {
      if (taken < places) taken += 1;
      else await new Promise<void>((resolve) => line.push(resolve));
      return createRelease();
    },
    get taken() {
      return taken;
    },
    get waiting() {
      return line.length;
    },
  };
};
