import { z } from 'zod';

const processErrorSchema = z.object({
  code: z.string().meta({ description: 'Stable identifier of the reason.' }),
  message: z.string(),
  line: z.int().optional().meta({ description: 'Physical line in the file; the header is line 1.' }),
  column: z.string().optional().meta({ description: 'Name of the column.' }),
  value: z.string().optional().meta({ description: 'The text that does not fit, cut to 200 characters.' }),
  existingType: z.enum(['Date', 'String', 'Decimal']).optional().meta({
    description: 'The type of the column in the dataset, where the value does not fit that one (409).',
  }),
  examples: z
    .array(
      z.object({
        in: z.enum(['file', 'dataset']),
        key: z.record(z.string(), z.string().nullable()),
        rows: z.int(),
      }),
    )
    .optional()
    .meta({ description: 'Of `key_not_unique`: the first keys that several rows have, at most three.' }),
  count: z.int().optional().meta({
    description: 'Of `values_collide`: rows in which both columns have a value, and not the same one.',
  }),
  collisions: z
    .array(
      z.object({
        row: z.int().meta({ description: 'Number of the row, from 1.' }),
        key: z.record(z.string(), z.string().nullable()),
        values: z.record(z.string(), z.string()),
      }),
    )
    .optional()
    .meta({
      description: 'The first of those rows, at most three: entities and the two values by their columns.',
    }),
});

const dataTypes = z.enum(['Date', 'String', 'Decimal']);

const noticeSchema = z
  .object({
    code: z.string().meta({
      description:
        '`type_changed`, `became_text`, `numbers_like_years`, `columns_added`, `columns_missing`, `similar_names`, ' +
        '`same_file`; others may come.',
    }),
    message: z.string(),
    column: z.string().optional().meta({ description: 'Name of the column.' }),
    line: z.int().optional().meta({ description: 'Physical line in the file; the header is line 1.' }),
    value: z.string().optional().meta({ description: 'The text in the file, cut to 200 characters.' }),
    columns: z.array(z.string()).optional().meta({ description: 'Names of columns, at most 20.' }),
    omitted: z.int().optional().meta({ description: 'How many more columns there are.' }),
    similarTo: z
      .string()
      .optional()
      .meta({ description: 'Name of the column that it is easily confused with.' }),
    from: dataTypes.optional().meta({ description: 'Type in the version before.' }),
    to: dataTypes.optional().meta({ description: 'Type now.' }),
    options: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Options of an upload that would have it otherwise, such as a manifest.' }),
    processId: z.int().optional().meta({ description: 'The other upload that it is about.' }),
  })
  .meta({ id: 'Notice' });

const changeField = (description: string) =>
  z
    .int()
    .nullable()
    .meta({ description: `${description} Null until that is known, and in mode replace.` });

export const processSchema = z
  .object({
    id: z.int(),
    datasetId: z.int(),
    status: z.enum(['pending', 'completed', 'failed']),
    createdAt: z.string().meta({ description: 'ISO 8601 in UTC, without zone offset.' }),
    completedAt: z.string().nullable(),
    expiresAt: z
      .string()
      .nullable()
      .meta({ description: 'For a reserved process: time until which an upload may fill it.' }),
    mode: z.string().nullable().meta({ description: 'Null while the process is reserved.' }),
    versionId: z.string().nullable().meta({ description: 'The published version.' }),
    rows: z.int().meta({ description: 'Rows stored so far.' }),
    bytes: z.int().meta({ description: 'Uncompressed bytes received so far.' }),
    rejectedRows: z.int().meta({ description: 'Bad records that were rejected.' }),
    inserted: changeField('Rows that are new.'),
    replaced: changeField('Rows of the previous version that have new values.'),
    unchanged: changeField('Rows whose key is in the file and whose values were already equal.'),
    removed: changeField('Rows of the previous version that were removed.'),
    dryRun: z.boolean().meta({ description: 'Everything is checked and counted, nothing is published.' }),
    error: processErrorSchema.nullable(),
    notices: z.array(noticeSchema).meta({
      description: 'Notices about the file, at most 20, whether or not the upload completes.',
    }),
    progress: z.object({
      received: z.int().meta({ description: 'Bytes received of the body of the request, as sent.' }),
      expected: z
        .int()
        .nullable()
        .meta({ description: 'Bytes of that body (`Content-Length`); null where the request does not say.' }),
      percent: z.int().nullable().meta({
        description:
          'Of receiving and storing, from 0 to 99, then 100 once completed; null while a body of unknown length comes.',
      }),
      chunks: z.int().nullable().meta({ description: 'Parts of the file; null while it is still coming.' }),
      sent: z.int().meta({ description: 'Parts handed on to be stored.' }),
      inserted: z.int().meta({ description: 'Parts stored.' }),
      rows: z.int().meta({ description: 'Rows stored.' }),
      attempt: z.int().meta({ description: '2 or more: values made another reading of the file necessary.' }),
    }),
  })
  .meta({ id: 'Process' });
