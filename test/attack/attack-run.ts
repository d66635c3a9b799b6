/** Runs attacks in sequence on a fresh product and measures the effect of each on a normally working account. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningProduct, startWholeProduct } from '../../bench/support/product.js';
import { withoutCredentials } from '../support/clickhouse-http.js';
import { startAttacker } from './attacker-process.js';
import { attacks } from './attacks.js';
import { type Strain, watchStrain } from './gauges.js';
import { startUpstreams } from './upstreams.js';
import { createVictim, type Measured } from './victim.js';

export interface AttackOptions {
  /** Attacks to run; undefined for all. */
  readonly only?: readonly string[] | undefined;
  /** Smoke run with small, brief attacks. */
  readonly short: boolean;
  /** Minimum seconds per attack; it continues until the victim's upload is complete. */
  readonly seconds: number;
  readonly uploadBytes: number;
  readonly say: (line: string) => void;
}

export interface Outcome {
  readonly attack: string;
  readonly does: string;
  /** Measured just before the attack, since other load on the machine changes idle values. */
  readonly idle: Measured;
  /** Measured during the attack. */
  readonly suffered: Measured;
  readonly strain: Strain;
  /** Responses to the attacker by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Violated limits, one line each. */
  readonly failures: readonly string[];
}

export interface AttackReport {
  readonly idle: Measured;
  readonly idleStrain: Strain;
  readonly outcomes: readonly Outcome[];
}

/** Maximum resident memory of API and worker, MB. */
export const memoryLimitMb = 512;

/** Seconds an attack runs before measuring. */
const leadSeconds = 1;

export interface AttackedProduct extends RunningProduct {
  /** Output file of `turn-probe.mjs`; undefined if not measured. */
  readonly turnsFile?: string;
}

/** Starts the product with fake providers; `stop` stops them too. */
export const startAttackedProduct = async (signal?: AbortSignal): Promise<AttackedProduct> => {
  const upstreams = await startUpstreams();
  const folder = mkdtempSync(join(tmpdir(), 'tabulary-attack-'));
  const turnsFile = join(folder, 'turns');
  writeFileSync(turnsFile, '');
  const probe = new URL('./turn-probe.mjs', import.meta.url);
  const environment = {
    NODE_OPTIONS: `--max-old-space-size=384 --import ${probe.href}`,
    ATTACK_TURNS: turnsFile,
  };
  const close = (): void => {
    upstreams.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const product = await startWholeProduct(upstreams.settings, { signal, environment });
    return { ...product, turnsFile, stop: () => product.stop().finally(close) };
  } catch (error) {
    close();
    throw error;
  }
};

const failuresOf = (suffered: Measured, strain: Strain, fault: string | undefined): string[] => [
  ...(fault === undefined ? [] : [fault]),
  ...strain.died.map((name) => `${name} died`),
  ...(['api', 'worker'] as const)
    .filter((name) => (strain.peakMb[name] ?? 0) > memoryLimitMb)
    .map((name) => `${name} used ${strain.peakMb[name]} MB`),
  ...Object.entries(suffered.errors).map(([what, count]) => `the victim got ${count} × ${what}`),
];

/** Waits until the product is ready, so that an attack does not affect the next one. */
const settle = async (product: RunningProduct): Promise<void> => {
  for (let turn = 0; turn < 120; turn += 1) {
    try {
      const answer = await fetch(`${product.baseUrl.replace(/\/api$/, '')}/readyz`, {
        signal: AbortSignal.timeout(5_000),
      });
      if (answer.ok) return;
    } catch {
      // Not ready yet.
    }
    await sleep(500);
  }
};

export const runAttacks = async (
  product: AttackedProduct,
  { only, short, seconds, uploadBytes, say }: AttackOptions,
): Promise<AttackReport> => {
  const victim = await createVictim({ ...product, ...(await product.createAccount('victim')) });
  const { key } = await product.createAccount('attacker');
  const target = {
    baseUrl: product.baseUrl,
    clickhouseUrl: withoutCredentials(product.clickhouseUrl).address.origin,
    key,
    short,
  };
  const attacker = await startAttacker(target);
  try {
    // Warm-up.
    await victim.work({ seconds: 1, uploadBytes: Math.min(uploadBytes, 2e6) });
    const idleStrainOf = await watchStrain(product, product.turnsFile);
    const idle = await victim.work({ seconds: short ? seconds : Math.max(seconds, 10), uploadBytes });
    const idleStrain = await idleStrainOf();
    const outcomes: Outcome[] = [];
    const measureIdle = (): Promise<Measured> | Measured =>
      short ? idle : victim.work({ seconds: 4, uploadBytes });
    for (const { name, does } of attacks.filter((attack) => only?.includes(attack.name) ?? true)) {
      say(`${name}: ${does}`);
      await attacker.prepare(name);
      const before = await measureIdle();
      const strainOf = await watchStrain(product, product.turnsFile);
      await attacker.start(name);
      await sleep(leadSeconds * 1000);
      const suffered = await victim.work({ seconds, uploadBytes });
      const { fault, statuses = {} } = await attacker.stop();
      const strain = await strainOf();
      const failures = failuresOf(suffered, strain, fault);
      for (const failure of failures) say(`  ${failure}`);
      outcomes.push({ attack: name, does, idle: before, suffered, strain, statuses, failures });
      await settle(product);
    }
    return { idle, idleStrain, outcomes };
  } finally {
    attacker.close();
  }
};
