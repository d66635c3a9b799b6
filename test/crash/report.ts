import { count, faultLines, listed } from '../harness/report.js';
import type { CrashReport } from './crash-run.js';

/** Summary of a run in a few lines. */
export const reportText = (report: CrashReport): string => {
  const blows: Record<string, number> = {};
  for (const { action, target } of report.blows) count(blows, `${action} ${target.replace(/-\d+$/, '')}`);
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
    ...faultLines(report.faults),
  ];
  if (report.kept !== undefined) lines.push(`logs kept in  ${report.kept}`);
  return lines.join('\n');
};
