import { tooLarge, unexpectedReply } from '../errors.js';
import type { Params } from '../parameter.js';
import type { UpstreamRequest } from '../provider.js';
import { readXml } from '../xml.js';
import { type CsvTable, readCsvTable, readXmlData, toTable, type XmlSeries } from './data.js';
import type { Sdmx21Record } from './record.js';

/** An error page may be well-formed XML; it must not be read as a message without series. */
export const readMessage = (record: Sdmx21Record, text: string, roots: readonly string[]): XmlSeries[] => {
  const root = readXml(record, text);
  if (!roots.includes(root.name)) throw unexpectedReply(record, 'it is not a data message of SDMX');
  return readXmlData(root);
};

/** @param tooMany Error for CSV with too many rows */
export const readTable = async (
  record: Sdmx21Record,
  text: string,
  tooMany = (): Error => tooLarge(record),
): Promise<CsvTable> =>
  record.csv === undefined
    ? toTable(readMessage(record, text, ['GenericData']))
    : readCsvTable(record, text, tooMany);

export const bounds = ({ start, end }: Params): NonNullable<UpstreamRequest['query']> => ({
  startPeriod: start,
  endPeriod: end,
});
