/** The answer of a read link as a picture, or as a page for frames. */
import type { Readable } from 'node:stream';
import type { LinkChart } from '../../catalog/read-link-records.js';
import { chartRoles } from '../../query/chart/chart.js';
import { chartData, maxChartBytes, tooManyPoints } from '../../query/chart/data.js';
import { chartPolicy } from '../../query/chart/style.js';
import { chartPage, chartSvg } from '../../query/chart/svg.js';
import { badOption } from '../../query/options/option.js';
import type { DownloadOptions } from '../../query/options/options.js';
import type { Question } from './download-handler.js';

/** @throws AppError 400 for options whose answer has no rows and columns to draw. */
export const requireDrawable = ({ format, count, transpose }: DownloadOptions): void => {
  if (format !== undefined && format !== 'csv') throw badOption('$format', 'is not for charts');
  if (count) throw badOption('$count', 'is not for charts');
  if (transpose) throw badOption('transpose', 'is not for charts');
};

/** @throws AppError 400 for more rows than a picture can show; the remainder is not read. */
const textOf = async (body: Buffer | Readable): Promise<string> => {
  if (Buffer.isBuffer(body)) {
    if (body.length > maxChartBytes) throw tooManyPoints();
    return body.toString();
  }
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxChartBytes) throw tooManyPoints();
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
};

interface Drawing {
  /** True for a page that contains the picture. */
  readonly isPage: boolean;
  readonly isHead: boolean;
}

export const drawChart =
  (chart: LinkChart, { isPage, isHead }: Drawing): NonNullable<Question['present']> =>
  async (plan, { headers, body, ...reply }) => {
    const { 'Content-Disposition': _file, ...shared } = headers ?? {};
    const draw = async (): Promise<Buffer> => {
      const data = chartData(await textOf(body), chartRoles(plan.output, chart.kind), chart.kind);
      const svg = chartSvg(data, chart);
      return Buffer.from(isPage ? chartPage(svg, chart) : svg);
    };
    return {
      ...reply,
      headers: {
        ...shared,
        'Content-Type': isPage ? 'text/html; charset=utf-8' : 'image/svg+xml',
        'Content-Security-Policy': `${chartPolicy(chart.theme)}; frame-ancestors ${isPage ? '*' : "'none'"}`,
      },
      body: isHead ? body : await draw(),
    };
  };
