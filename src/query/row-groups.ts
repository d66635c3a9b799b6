/**
 * Row groups of a whole table, each read by its own query. Their boundaries do not depend on the blocks of ClickHouse, so
 * a file that is built again has the same bytes.
 */
import type { Readable } from 'node:stream';
import type { ReadableVersion } from '../model/version.js';
import type { Reader } from '../storage/clickhouse/reader.js';
import { maxGroupRows } from './formats/format.js';
import { nextPage, pageAt } from './paging/pages.js';
import type { Plan } from './plan.js';
import type { ReadContext } from './read-context.js';

/** ClickHouse and the readers of the file keep a whole group in memory. */
const groupBytes = 256 * 1024 * 1024;

const rowsPerGroup = ({ rowCount, byteSize }: ReadableVersion): number => {
  const rowBytes = Math.max(1, byteSize / Math.max(1, rowCount));
  return Math.max(1, Math.min(maxGroupRows, Math.floor(groupBytes / rowBytes)));
};

type OpenPage = (page: Plan, context: ReadContext) => Promise<Readable>;

/** Opens the first group at once, so that its errors are thrown here, and each later group when it is needed. */
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
