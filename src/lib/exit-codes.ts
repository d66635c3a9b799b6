/** Exit codes of every program of the product. A second Ctrl-C ends a process with 130, as shells do. */
export const exitCodes = {
  fine: 0,
  /** The command ran and found faults, such as `verify`. */
  faultsFound: 1,
  /** The command line does not parse. */
  usage: 2,
  /** Could not start, or could not finish: wrong settings, an unreachable component, a refused request. */
  couldNotRun: 3,
} as const;
