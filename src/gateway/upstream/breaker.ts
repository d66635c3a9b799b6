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
  /** Records the outcome of a request that passed. */
  record(provider: Provider, scope: string, outcome: 'ok' | 'down' | 'refused', base?: string): void;
  /** State of the worst circuit of an upstream. Does not change it. */
  view(provider: Provider): CircuitView;
}

/** State of a circuit, for operators. */
export interface CircuitView {
  readonly state: 'closed' | 'open' | 'testing';
  /** Failures in a row. */
  readonly failures: number;
  /** Milliseconds since the epoch; valid while the circuit is open. */
  readonly openUntilMs: number;
}

interface Circuit {
  /** Failures in a row that mean the upstream is down. */
  failures: number;
  openUntilMs: number;
  /** A probe request is in flight. */
  probing: boolean;
}

const failuresToOpen = 5;
const firstOpenMs = 15_000;
const longestOpenMs = 300_000;

const openFor = (failures: number): number =>
  Math.min(longestOpenMs, firstOpenMs * 2 ** Math.min(10, failures - failuresToOpen));

const closedFor = (provider: Provider, milliseconds: number, reason: string): AppError => {
  const retryAfterSeconds = Math.max(1, Math.ceil(milliseconds / 1000));
  const text = `${provider.name} ${reason}; it is tried again in ${retryAfterSeconds} s.`;
  return errorOf(provider, 'unavailable', 'upstream_circuit_open', text, { retryAfterSeconds });
};

/** State of this process only. Each process sends a failing upstream a handful of requests. */
export const createBreaker = (now: () => number): Breaker => {
  /** By slug and base. */
  const circuits = new Map<string, Map<string, Circuit>>();
  /** Times of errors in the last minute, by upstream and key. */
  const errors = new Map<string, number[]>();

  const circuitOf = ({ slug }: Provider, base = ''): Circuit => {
    const ofProvider = circuits.get(slug) ?? new Map<string, Circuit>();
    const circuit = ofProvider.get(base) ?? { failures: 0, openUntilMs: 0, probing: false };
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
    const { failures, openUntilMs, probing } = circuitOf(provider, base);
    if (failures < failuresToOpen) return;
    if (openUntilMs > now() || probing) {
      throw closedFor(provider, Math.max(1_000, openUntilMs - now()), 'has failed repeatedly');
    }
  };

  return {
    view({ slug }) {
      const all = [...(circuits.get(slug)?.values() ?? [])];
      const { failures = 0, openUntilMs = 0 } = all.sort((a, b) => b.failures - a.failures)[0] ?? {};
      const tripped = failures >= failuresToOpen;
      return {
        state: tripped ? (openUntilMs > now() ? 'open' : 'testing') : 'closed',
        failures,
        openUntilMs,
      };
    },
    check,
    pass(provider, scope, base) {
      check(provider, scope, base);
      const circuit = circuitOf(provider, base);
      if (circuit.failures >= failuresToOpen) circuit.probing = true;
    },
    record(provider, scope, outcome, base) {
      const circuit = circuitOf(provider, base);
      circuit.probing = false;
      if (outcome !== 'ok' && provider.limits.errorsPerMinute !== undefined) {
        errors.set(scope, [...recentErrors(scope), now()]);
      }
      if (outcome !== 'down') {
        circuit.failures = 0;
        return;
      }
      circuit.failures += 1;
      if (circuit.failures >= failuresToOpen) circuit.openUntilMs = now() + openFor(circuit.failures);
    },
  };
};
