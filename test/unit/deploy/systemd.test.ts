import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseEnvFile, projectFile } from './compose-file.js';
import { knownSettings, projectPath } from './rendered-chart.js';

describe('deploy/systemd', () => {
  const units = readdirSync(projectPath('deploy/systemd')).filter((file) => file.endsWith('.service'));
  const env = parseEnvFile(projectFile('deploy/systemd/tabulary.env'));

  it('sets only existing settings', () => {
    const names = [...env.keys()].map((name) => name.replace(/_FILE$/, ''));
    expect(names.filter((name) => !knownSettings.has(name))).toEqual([]);
  });

  it('is documented with a user, settings and a list of them that exist', () => {
    const steps = projectFile('docs/operating/install.md').split('### With systemd')[1]?.split('\n### ')[0];
    expect(steps).toMatch(/^useradd .* tabulary$/m);
    expect(steps).toMatch(/^install .*deploy\/systemd\/tabulary\.env \/etc\/tabulary\//m);
    // A production build has no dist/main.js.
    for (const file of ['systemd/tabulary.env', 'helm/tabulary/README.md', 'helm/tabulary/values.yaml'])
      expect(projectFile(`deploy/${file}`)).toContain('`node dist/api.js --help`');
  });

  it.each(units)(
    '%s starts a program of the product as an unprivileged user, and waits for its drain',
    (file) => {
      const text = projectFile(`deploy/systemd/${file}`);
      const program = /^ExecStart=\/usr\/bin\/node dist\/(\w+)\.js( .*)?$/m.exec(text)?.[1];
      expect(existsSync(projectPath(`src/${program}.ts`))).toBe(true);
      for (const line of ['User=tabulary', 'NoNewPrivileges=yes', 'ProtectSystem=strict', 'UMask=0077'])
        expect(text.split('\n')).toContain(line);
      // One-shot units end by themselves.
      if (/^Type=oneshot$/m.test(text)) return;
      const stopSeconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1]);
      expect(stopSeconds * 1_000).toBeGreaterThan(Number(env.get('DRAIN_TIMEOUT_MS')) + 10_000);
      expect(text).toContain('Restart=always');
    },
  );
});
