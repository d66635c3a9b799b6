import { z } from 'zod';
import type { SearchCatalog } from '../../catalog/search.js';
import { fitting, maxCharacters, shortened } from '../exact.js';
import { type Tool, tool } from '../tool.js';

type Found = Awaited<ReturnType<SearchCatalog>>;

const text = z.string().nullable();

const foundDataset = z.object({
  datasetId: z.int(),
  name: z.string(),
  description: text,
  source: text,
  repositoryId: z.int(),
  rows: z.int(),
  columns: z.int(),
  firstDate: text,
  lastDate: text,
  frequency: text,
  updatedAt: z.string(),
});

const datasetOf = (found: Found['datasets'][number]): z.input<typeof foundDataset> => ({
  datasetId: found.id,
  name: found.name,
  description: shortened(found.description, 300),
  source: shortened(found.sourceName, 300),
  repositoryId: found.repositoryId,
  rows: found.rowCount,
  columns: found.columnCount,
  firstDate: found.minDate,
  lastDate: found.maxDate,
  frequency: found.frequency,
  updatedAt: found.updatedAt,
});

const columnOf = ({ name, datasetId, datasetName }: Found['columns'][number]) => ({
  name,
  datasetId,
  datasetName,
});

/** Maximum shares of an answer's characters. */
const datasetShare = 0.6 * maxCharacters;
const otherShare = 0.15 * maxCharacters;

export const createSearchDatasets = ({ search }: { readonly search: SearchCatalog }): Tool =>
  tool({
    name: 'search_datasets',
    title: 'Search datasets',
    description:
      'Finds datasets (tables), columns and repositories that this key may see. Every word has to occur: in name, description or source of a dataset or repository, or as the beginning of a word in the name of a column. Without text: what changed last. Fewer words find more.',
    input: z.strictObject({
      text: z.string().max(200).optional().meta({ description: 'Words.' }),
      limit: z.int().min(1).max(100).optional().meta({ description: 'Most of each kind. Default 20.' }),
    }),
    output: z.object({
      datasets: z.array(foundDataset),
      columns: z.array(z.object({ name: z.string(), datasetId: z.int(), datasetName: z.string() })),
      repositories: z.array(z.object({ repositoryId: z.int(), name: z.string(), description: text })),
      truncated: z.boolean().meta({ description: 'True: there may be more; use further words.' }),
    }),
    run: async ({ caller }, { text: words = '', limit = 20 }) => {
      const found = await search(caller, words, limit);
      const datasets = fitting(found.datasets.map(datasetOf), datasetShare);
      const columns = fitting(found.columns.map(columnOf), otherShare);
      const repositories = fitting(
        found.repositories.map(({ id, name, description }) => ({
          repositoryId: id,
          name,
          description: shortened(description, 300),
        })),
        otherShare,
      );
      const isFull = [found.datasets, found.columns, found.repositories].some(
        (list) => list.length === limit,
      );
      const isCut =
        datasets.length < found.datasets.length ||
        columns.length < found.columns.length ||
        repositories.length < found.repositories.length;
      return {
        datasets: [...datasets],
        columns: [...columns],
        repositories: [...repositories],
        truncated: isFull || isCut,
      };
    },
  });
