import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { openFileKinds, openFiles } from '../../odata/open-files.js';
import { dispositionOf, fileNameOf } from '../content/disposition.js';
import { pathId } from '../parameters.js';
import { type Route, route } from '../route.js';
import type { FindDataset } from './find-dataset.js';

interface OpenFileRoutesDeps {
  readonly findReadable: FindDataset;
  /** Address of the API as this client reaches it. */
  readonly apiUrl: (request: IncomingMessage) => string;
}

export const createOpenFileRoutes = ({ findReadable, apiUrl }: OpenFileRoutesDeps): Route[] => [
  route({
    method: 'GET',
    path: '/datasets/:id/open/:kind',
    operationId: 'openDataset',
    summary: 'File that opens a dataset in Excel or Power BI',
    description:
      'A file that opens with a double click: `odc` (Excel, Power Query over OData), `pbids` (Power BI Desktop, OData), `iqy` (Excel web query of tab-separated text). It contains the address of the dataset and no key: the program asks for the key.',
    tags: ['OData'],
    auth: 'optional',
    readsDataset: true,
    params: z.object({ id: pathId('Dataset'), kind: z.enum(openFileKinds) }),
    authorize: ({ caller, params }) => findReadable(caller, params.id),
    responses: {
      200: {
        description: 'The file.',
        contentTypes: openFileKinds.map((kind) => openFiles[kind].mediaType),
        headers: { 'Content-Disposition': 'Name of the dataset as the name of the file.' },
      },
    },
    errors: [403, 404],
    handler: ({ access, params: { kind }, raw }) => {
      const api = apiUrl(raw);
      const { mediaType, write } = openFiles[kind];
      return {
        status: 200,
        headers: {
          'Content-Type': mediaType,
          'Content-Disposition': dispositionOf(fileNameOf(access.name, kind)),
          'Cache-Control': 'private, no-cache',
          Vary: 'Authorization',
        },
        body: write({
          name: access.name,
          service: `${api}/odata/datasets/${access.id}`,
          table: `${api}/datasets/${access.id}/data?$format=tsv`,
        }),
      };
    },
  }),
];
