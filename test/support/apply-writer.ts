/** Writes a pipeline in one of its many spellings. */
import type { ApplyColumn, TestAggregate, TestNamed, TestStep } from './apply-tree.js';
import { createWriter } from './odata-writer.js';

const nameText = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) ? name : `[${name.replaceAll(']', ']]')}]`;

/** @param columns input columns of the step. */
export const writeStep = (
  step: TestStep,
  columns: readonly ApplyColumn[],
  choices: readonly number[],
): string => {
  const { filter, operand } = createWriter(columns, choices);
  const loud = (choices[0] ?? 0) < 10;
  const word = (text: string): string => (loud ? text.toUpperCase() : text);
  const named = ({ e, name, renamed }: TestNamed): string =>
    renamed ? `${operand(e)} ${word('as')} ${nameText(name)}` : operand(e);
  const aggregate = (item: TestAggregate): string => {
    if (item.method === '$count') return `$count as ${nameText(item.name)}`;
    const method = item.method === 'quantile' ? `quantile(${item.level})` : word(item.method);
    return `${operand(item.of)} ${word('with')} ${method} as ${nameText(item.name)}`;
  };
  switch (step.k) {
    case 'filter':
      return `${word('filter')}(${filter(step.e)})`;
    case 'compute':
      return `compute(${step.items.map(named).join(', ')})`;
    case 'group': {
      const aggregates = `aggregate(${step.aggregates.map(aggregate).join(',')})`;
      if (step.keys === undefined) return aggregates;
      const rest = step.aggregates.length === 0 ? '' : `, ${aggregates}`;
      return `groupby((${step.keys.map(named).join(',')})${rest})`;
    }
    case 'orderby':
      return `orderby(${step.items.map(({ e, descending }) => `${operand(e)}${descending ? ' desc' : loud ? ' asc' : ''}`).join(', ')})`;
    default:
      return `${step.k}(${step.count})`;
  }
};
