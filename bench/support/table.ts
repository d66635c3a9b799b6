import { changeOf } from './compare.js';
import { type Figure, type Goal, roundFigure, verdictOf } from './figure.js';
import type { BenchResult, Report } from './report.js';

const grouped = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 15 });
const number = (value: number): string => grouped.format(roundFigure(value));
const withUnit = (value: number, unit: string): string => `${number(value)} ${unit}`;

const goalText = (goal: Goal | undefined, unit: string): string => {
  if (goal === undefined) return '';
  return 'atMost' in goal ? `≤ ${withUnit(goal.atMost, unit)}` : `≥ ${withUnit(goal.atLeast, unit)}`;
};

const changeText = (earlier: Report | undefined, bench: string, figure: Figure): string[] => {
  const change = changeOf(earlier, bench, figure);
  if (change === undefined) return ['', ''];
  const percent =
    change.by === undefined ? '' : `${change.by > 0 ? '+' : ''}${(change.by * 100).toFixed(0)} %`;
  return [
    withUnit(change.before, figure.unit),
    change.verdict === 'same' ? percent : `${percent} ${change.verdict}`,
  ];
};

const figureRow = (earlier: Report | undefined, bench: string, figure: Figure): string[] => {
  const { name, value, unit, goal, yardstick } = figure;
  return [
    bench,
    name,
    withUnit(value, unit),
    goalText(goal, unit),
    verdictOf(figure),
    yardstick === undefined ? '' : `${yardstick.name}: ${withUnit(yardstick.value, yardstick.unit)}`,
    ...changeText(earlier, bench, figure),
  ];
};

const headings = ['bench', 'figure', 'value', 'goal', '', 'yardstick', 'before', 'change'];
/** Indexes of numeric columns. */
const rightAligned = new Set([2, 3, 6]);

const aligned = (rows: readonly (readonly string[])[]): string => {
  const widths = headings.map((_, at) => Math.max(3, ...rows.map((cells) => cells[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${widths
      .map((width, at) => (rightAligned.has(at) ? cells[at]?.padStart(width) : cells[at]?.padEnd(width)))
      .join(' | ')} |`;
  const rule = `|${widths
    .map((width, at) => (rightAligned.has(at) ? `${'-'.repeat(width + 1)}:` : '-'.repeat(width + 2)))
    .join('|')}|`;
  const [head = headings, ...body] = rows;
  return [line(head), rule, ...body.map(line)].join('\n');
};

/** Renders all figures with their goals and an earlier run as a Markdown table. */
export const renderTable = (results: readonly BenchResult[], earlier?: Report): string =>
  aligned([
    headings,
    ...results.flatMap(({ bench, figures, failure }) => [
      ...figures.map((figure) => figureRow(earlier, bench, figure)),
      ...(failure === undefined
        ? []
        : [[bench, 'the bench itself', '', '', 'failed', failure.split('\n', 1)[0] ?? '', '', '']]),
    ]),
  ]);

/** Renders the number of goals met, in one line. */
export const renderSummary = (results: readonly BenchResult[]): string => {
  const verdicts = results
    .flatMap(({ figures }) => figures.map(verdictOf))
    .filter((verdict) => verdict !== '');
  const met = verdicts.filter((verdict) => verdict === 'met').length;
  const failed = results.filter(({ failure }) => failure !== undefined).map(({ bench }) => bench);
  const failures = failed.length === 0 ? '' : `; failed: ${failed.join(', ')}`;
  return `${met} of ${verdicts.length} goals met${failures}`;
};
