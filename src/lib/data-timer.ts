/**
 * A timeout for incoming data that allows for a paused process (a suspended machine, no CPU). When such a process resumes, Node runs its
 * overdue timers before it reads its sockets. This timer first reads what has arrived, which takes one turn of the event loop per piece.
 */
export interface DataTimer {
  /** Begins again. */
  refresh(): void;
  stop(): void;
}

/** Most turns in which data that has arrived is read: about the kernel's largest buffer in pieces of 64 KiB. */
const mostTurns = 128;

/**
 * @param onLate called once after `ms`, and after a turn of the event loop without data.
 * @param received bytes so far, for a timer that is not stopped or refreshed by each piece.
 */
export const startDataTimer = (ms: number, onLate: () => void, received = () => 0): DataTimer => {
  let turn: NodeJS.Immediate | undefined;
  const readFirst = (turns: number): void => {
    const before = received();
    turn = setImmediate(() => {
      if (received() === before || turns === 1) onLate();
      else readFirst(turns - 1);
    });
  };
  const timer = setTimeout(() => readFirst(mostTurns), ms);
  return {
    refresh() {
      clearImmediate(turn);
      timer.refresh();
    },
    stop() {
      clearImmediate(turn);
      clearTimeout(timer);
    },
  };
};
