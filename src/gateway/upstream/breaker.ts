import type { AppError } from '../../lib/errors.js';
import { errorOf } from '../../providers/errors.js';
import type { Provider } from '../../providers/provider.js';

/**
 * Circuit breaker: stops requests to an upstream that is down, or that locks out clients after too many errors. Each address of an upstream
 * (`UpstreamRequest.base`) has a circuit of its own.
 */
export interface Breaker {
  /** Throws `unavailable` while the circuit is open. */
  check(provider: Provider, scope: string, base?: string): void;
  /** Like `check`, called right before a request is sent: after the pause it lets one probe through. `record` must follow. */
  pass(provider: Provider, scope: string, base?: string): void;
  /** Records the outcome of a request that passed. A failed probe opens the circuit again. */
  record(provider: Provider, scope: string, outcome: 'ok' | 'down' | 'refused', base?: string): void;
  /**
   * Records that the last attempt at a request failed. Failures of one subject (a series or a path) count once, since a broken series does
   * not mean that the upstream is down.
   */
  fail(provider: Provider, subject: string, base?: string): void;
  /** State of the worst circuit of an upstream. Does not change it. */
  view(provider: Provider): CircuitView;
}

/** State of a circuit, for operators. */
export interface CircuitView {
  readonly state: 'closed' | 'open' | 'testing';
  /** Different series and paths that failed since the last reply without an error of the upstream. */
  readonly failures: number;
  /** Milliseconds since the epoch; valid while the circuit is open. */
  readonly openUntilMs: number;
}

interface Circuit {
  /** Subjects that failed since the last reply without an error of the upstream. */
  readonly failed: Set<string>;
  /** Number of times that it was opened in a row; 0: it is closed. */
  openings: number;
  openUntilMs: number;
  /** A probe request is in flight. */
  probing: boolean;
}

/**
 * Different series that must fail in a row. Fewer may just be broken; they cause little load on an upstream that is down, since equal
 * requests are sent once.
 */
const failuresToOpen = 10;
const firstOpenMs = 15_000;
const longestOpenMs = 300_000;

const openFor = (openings: number): number =>
  Math.min(longestOpenMs, firstOpenMs * 2 ** Math.min(10, openings - 1));

const closedFor = (provider: Provider, milliseconds: number, reason: string): AppError => {
  const retryAfterSeconds = Math.max(1, Math.ceil(milliseconds / 1000));
  const text = `${provider.name} ${reason}; it is tried again in ${retryAfterSeconds} s.`;
  return errorOf(provider, 'unavailable', 'upstream_circuit_open', text, { retryAfterSeconds });
};

/** State of this process only. Each process finds out for itself that an upstream is down. */
export const createBreaker = (now: () => number): Breaker => {
  /** By slug and base. */
  const circuits = new Map<string, Map<string, Circuit>>();
  /** Times of errors in the last minute, by upstream and key. */
  const errors = new Map<string, number[]>();

  const circuitOf = ({ slug }: Provider, base = ''): Circuit => {
    const ofProvider = circuits.get(slug) ?? new Map<string, Circuit>();
    const circuit = ofProvider.get(base) ?? {
      failed: new Set(),
      openings: 0,
      openUntilMs: 0,
      probing: false,
    };
    circuits.set(slug, ofProvider.set(base, circuit));
    return circuit;
  };

  const recentErrors = (scope: string): number[] => {
    const recent = (errors.get(scope) ?? []).filter((at) => at > now() - 60_000);
    if (recent.length === 0) errors.delete(scope);
    else errors.set(scope, recent);
    return recent;
  };

  const checkErrors = (provider: Provider, scope: string): void => {
    const bound = provider.limits.errorsPerMinute;
    if (bound === undefined) return;
    const recent = recentErrors(scope);
    const oldest = recent[0];
    // Two below the limit, since requests in flight may still fail.
    if (oldest !== undefined && recent.length >= Math.max(1, bound - 2)) {
      throw closedFor(provider, oldest + 60_000 - now(), 'answered with too many errors');
    }
  };

  const check = (provider: Provider, scope: string, base?: string): void => {
    checkErrors(provider, scope);
    const { openings, openUntilMs, probing } = circuitOf(provider, base);
    if (openings === 0) return;
    if (openUntilMs > now() || probing) {
      throw closedFor(provider, Math.max(1_000, openUntilMs - now()), 'has failed repeatedly');
    }
  };

  const open = (circuit: Circuit): void => {
    circuit.openings += 1;
    circuit.openUntilMs = now() + openFor(circuit.openings);
  };

  return {
    view({ slug }) {
      const [worst] = [...(circuits.get(slug)?.values() ?? [])].sort(
        (a, b) => b.openings - a.openings || b.failed.size - a.failed.size,
      );
      const { openings = 0, openUntilMs = 0 } = worst ?? {};
      return {
        state: openings > 0 ? (openUntilMs > now() ? 'open' : 'testing') : 'closed',
        failures: worst?.failed.size ?? 0,
        openUntilMs,
      };
    },
    check,
    pass(provider, scope, base) {
      check(provider, scope, base);
      const circuit = circuitOf(provider, base);
      if (circuit.openings > 0) circuit.probing = true;
    },
    record(provider, scope, outcome, base) {
      const circuit = circuitOf(provider, base);
      const wasProbe = circuit.probing;
      circuit.probing = false;
      if (outcome !== 'ok' && provider.limits.errorsPerMinute !== undefined) {
        errors.set(scope, [...recentErrors(scope), now()]);
      }
      if (outcome !== 'down') {
        circuit.failed.clear();
        circuit.openings = 0;
      } else if (wasProbe) {
        open(circuit);
      }
    },
    fail(provider, subject, base) {
      const circuit = circuitOf(provider, base);
      // Requests that were in flight when the circuit was opened do not prolong it.
      if (circuit.openings > 0) return;
      circuit.failed.add(subject);
      if (circuit.failed.size >= failuresToOpen) open(circuit);
    },
  };
};
