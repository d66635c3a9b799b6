/** Prints the table of src/uploads/lifecycle/transitions.ts into docs/lifecycle.md: `npm run docs:lifecycle`. */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ProcessState } from '../src/storage/postgres/process-states.js';
import {
  type Consequence,
  type Event,
  states,
  transitionOf,
  transitions,
} from '../src/uploads/lifecycle/transitions.js';

export const lifecycleDoc = fileURLToPath(new URL('../docs/lifecycle.md', import.meta.url));

const begin = '<!-- transitions: printed by npm run docs:lifecycle -->';
const end = '<!-- /transitions -->';

const stateNames = Object.keys(states) as ProcessState[];
const eventNames = Object.keys(transitions) as Event[];

const consequences: Readonly<Record<Consequence, string>> = {
  publish: 'whatever is due in the dataset is published',
  reread: 'the next step is taken',
  verify: 'after the last chunk, the segment is counted',
  resume: 'a worker takes the next step in the background',
  none: 'nothing',
};

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

const render = (): string => {
  const matrix = stateNames.map((state) => [
    `**${state}**`,
    ...eventNames.map((event) => transitionOf(event).moves[state] ?? ''),
  ]);
  return [
    table(
      ['State', 'Meaning'],
      stateNames.map((state) => [`\`${state}\``, states[state]]),
    ),
    table(['State \\ event', ...eventNames], matrix),
    table(
      ['Event', 'When', 'What follows'],
      eventNames.map((event) => [
        `\`${event}\``,
        transitionOf(event).when,
        consequences[transitionOf(event).next],
      ]),
    ),
  ].join('\n\n');
};

/** The document with the table as it is now. */
export const withTransitions = (text: string): string => {
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error('docs/lifecycle.md has lost its markers');
  return `${before}${begin}\n\n${render()}\n\n${end}${after}`;
};

if (process.argv.includes('--write'))
  writeFileSync(lifecycleDoc, withTransitions(readFileSync(lifecycleDoc, 'utf8')));
