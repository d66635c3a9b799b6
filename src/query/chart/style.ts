import { createHash } from 'node:crypto';
import type { ChartTheme } from './chart.js';

interface Colors {
  readonly paper: string;
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  readonly series: readonly string[];
}

/** The colors of the web app (`web/src/styles/tokens.css`). */
export const chartColors: Readonly<Record<'light' | 'dark', Colors>> = {
  light: {
    paper: '#ffffff',
    ink: '#182125',
    soft: '#4f5c61',
    line: '#dedad0',
    series: ['#0a655c', '#c4571b', '#4a55a8', '#a3316f', '#8a6d00', '#2b7bba', '#5d7a1f', '#6b6f73'],
  },
  dark: {
    paper: '#181f22',
    ink: '#e7ecec',
    soft: '#a6b3b6',
    line: '#2c373b',
    series: ['#63c8b8', '#f2985f', '#9aa5f0', '#e887bd', '#d9b84a', '#7cbcf0', '#a8c965', '#b4babd'],
  },
};

const rules = ({ paper, ink, soft, line, series }: Colors): string =>
  [
    `html{background:${paper}}.paper{fill:${paper}}.ink{fill:${ink}}.soft{fill:${soft}}.grid{stroke:${line}}`,
    ...series.map((color, at) => `.f${at}{fill:${color}}.l${at}{stroke:${color}}`),
  ].join('');

const shared =
  'svg{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif;font-size:12px}' +
  'html,body{margin:0;height:100%}body>svg{display:block;width:100%;height:100%}' +
  '.title{font-size:16px;font-weight:600}.line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}' +
  '.dots{fill:none;stroke-width:6;stroke-linecap:round}';

const { light, dark } = chartColors;

const styles: Readonly<Record<ChartTheme, string>> = {
  auto: `${shared}${rules(light)}@media(prefers-color-scheme:dark){${rules(dark)}}`,
  light: shared + rules(light),
  dark: shared + rules(dark),
};

export const chartStyle = (theme: ChartTheme): string => styles[theme];

/** Content security policy that allows only this style, by its digest, and nothing else. */
export const chartPolicy = (theme: ChartTheme): string =>
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(styles[theme]).digest('base64')}'`;
