/** Tables and cells of the explorer's tests. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Stage } from '../../support/browser.js';
import { createDataset, ended, json, type ProcessAnswer, putFile } from '../../support/datasets.js';

const countries = ['Austria', 'Belgium', 'Chile', 'Denmark', "Côte d'Ivoire"];

/** 200 rows: 40 years for each of five countries. */
export const prices = (): string => {
  const lines = countries.flatMap((country, at) =>
    Array.from({ length: 40 }, (_, year) =>
      [`"${country}"`, `${1980 + year}-01-01`, `${100 + at * 10 + year}.10`, year % 4 === 0 ? '' : year].join(
        ',',
      ),
    ),
  );
  return `Country,Date,Price,Unemployment rate\n${lines.join('\n')}\n`;
};

export const longTable = (rows: number): string =>
  `Row,Value\n${Array.from({ length: rows }, (_, row) => `${row},${(row * 7919) % 10_007}`).join('\n')}\n`;

export const uploadTable = async (stage: Stage, key: string, name: string, csv: string): Promise<number> => {
  const client = { baseUrl: stage.product.baseUrl, key };
  const id = await createDataset(client, name);
  const process = await json<ProcessAnswer>(await putFile(client, id, csv), 201);
  expect((await ended(client, process)).status).toBe('completed');
  return id;
};

export const cell = (page: Page, row: number, column: number) =>
  page.locator(`[data-row="${row}"][data-column="${column}"]`);
export const settled = (page: Page, row: number, column: number, text: string) =>
  cell(page, row, column).filter({ hasText: text }).waitFor();

/** Number of rendered cells. */
export const drawnCells = (page: Page): Promise<number> => page.locator('.cell').count();
