import { count, faultLines, listed } from '../harness/report.js';
import type { CrashReport } from './crash-run.js';

export const reportText = (report: CrashReport): string => {
  const disruptions: Record<string, number> = {};
  for (const { action, target } of report.disruptions)
    count(disruptions, `${action} ${target.replace(/-\d+$/, '')}`);
  const lines = [
    '',
    `seed          ${report.seed}`,
    `cycles        ${report.cycles}`,
    `disruptions   ${listed(disruptions)}`,
    `uploads       ${report.uploads}`,
    `responses     ${listed(report.answers)}`,
    `processes     ${listed(report.outcomes)}`,
    `rows checked  ${report.rowsChecked}`,
    `quarantined   ${report.quarantined}`,
    `seconds       ${report.seconds}`,
    ...faultLines(report.faults),
  ];
  if (report.kept !== undefined) lines.push(`logs kept in  ${report.kept}`);
  return lines.join('\n');
};
