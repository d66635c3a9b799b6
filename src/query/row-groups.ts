/**
 * The groups of rows of a whole table, each read by a query of its own: they end at the same rows wherever blocks of ClickHouse
 * do, so that a file that is made again has the same bytes.
 */
import type { Readable } from 'node:stream';
import type { ReadableVersion } from '../model/version.js';
import type { Reader } from '../storage/clickhouse/reader.js';
import { mostGroupRows } from './formats/format.js';
import { nextPage, pageAt } from './paging/pages.js';
import type { Plan } from './plan.js';
import type { ReadContext } from './read-context.js';

/** ClickHouse and readers hold a group in memory. */
const groupBytes = 256 * 1024 * 1024;

const rowsPerGroup = ({ rowCount, byteSize }: ReadableVersion): number => {
  const rowBytes = Math.max(1, byteSize / Math.max(1, rowCount));
  return Math.max(1, Math.min(mostGroupRows, Math.floor(groupBytes / rowBytes)));
};

/** Opens the rows of a page. */
type OpenPage = (page: Plan, context: ReadContext) => Promise<Readable>;

/** Files of the groups, one after the other. The first is open already, each later one is opened when it is needed. */
export const openGroups = async (
  reader: Reader,
  plan: Plan,
  context: ReadContext,
  open: OpenPage,
): Promise<{ readonly first: Readable; readonly files: AsyncIterable<Readable> }> => {
  const { version } = plan;
  const at = (name: string): ReadContext => ({ ...context, queryId: `${context.queryId}-${name}` });
  const groups: Plan = {
    ...plan,
    options: { ...plan.options, pageSize: rowsPerGroup(version), top: version.rowCount },
  };
  const first = await open(pageAt(groups), at('0'));

  async function* files(): AsyncGenerator<Readable> {
    let current = first;
    try {
      let rest = groups;
      for (let number = 1; ; number += 1) {
        yield current;
        const token = await nextPage(reader, rest, pageAt(rest), at(`to-${number}`));
        if (token === undefined) return;
        rest = { ...groups, token };
        current = await open(pageAt(rest), at(String(number)));
      }
    } finally {
      current.destroy();
    }
  }
  return { first, files: files() };
};
