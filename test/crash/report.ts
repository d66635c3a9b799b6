import type { CrashReport } from './crash-run.js';

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

/** What a person wants to know of a run, in a few lines. */
export const reportText = (report: CrashReport): string => {
  const blows: Record<string, number> = {};
  for (const { action, target } of report.blows) {
    const name = `${action} ${target.replace(/-\d+$/, '')}`;
    blows[name] = (blows[name] ?? 0) + 1;
  }
  const lines = [
    '',
    `seed          ${report.seed}`,
    `cycles        ${report.cycles}`,
    `blows         ${listed(blows)}`,
    `uploads       ${report.uploads}`,
    `answers       ${listed(report.answers)}`,
    `processes     ${listed(report.outcomes)}`,
    `rows checked  ${report.rowsChecked}`,
    `set aside     ${report.setAside}`,
    `seconds       ${report.seconds}`,
    `faults        ${report.faults.length}`,
    ...report.faults.slice(0, 50).map((fault) => `  - ${fault}`),
  ];
  if (report.kept !== undefined) lines.push(`logs kept in  ${report.kept}`);
  return lines.join('\n');
};
