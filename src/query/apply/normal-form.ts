import { normalForm } from '../filter/normal-form.js';
import type { BoundStep, NewField } from './typed.js';

/**
 * Canonical text of a pipeline for entity tags, equal for all its spellings. Columns are ids; computed columns count
 * down from -1.
 */
const made = ({ field, value }: NewField): string =>
  `${JSON.stringify(field.name)}=${normalForm(value.node)}`;

const normalStep = (step: BoundStep): string => {
  switch (step.kind) {
    case 'filter':
      return normalForm(step.condition);
    case 'compute':
      return step.made.map(made).join();
    case 'group': {
      const aggregates = step.aggregates.map((item) => {
        const call =
          item.kind === 'count' ? '' : `${item.method}${item.level ?? ''}(${normalForm(item.value.node)})`;
        return `${JSON.stringify(item.field.name)}=${call}`;
      });
      return `${step.keys?.map(made).join() ?? '-'};${aggregates.join()}`;
    }
    case 'orderby':
      return step.terms
        .map(({ value, descending }) => `${normalForm(value.node)}${descending ? ' desc' : ''}`)
        .join();
    case 'top':
    case 'skip':
      return String(step.count);
    default:
      return step satisfies never;
  }
};

export const normalPipeline = (steps: readonly BoundStep[]): string =>
  steps.map((step) => `${step.kind}(${normalStep(step)})`).join('/');
