import type { Catalog } from '../../catalog/catalog.js';
import type { Route } from '../route.js';
import { createAccountRoutes } from './account.js';
import { createColumnRoutes } from './columns.js';
import { createDatasetRoutes } from './datasets.js';
import { createPermissionRoutes } from './permissions.js';
import { createRepositoryRoutes } from './repositories.js';
import { createSearchRoutes } from './search.js';
import { createSessionRoutes } from './session.js';
import { createTeamRoutes } from './teams.js';

export const createCatalogRoutes = (catalog: Catalog): Route[] => [
  ...createAccountRoutes(catalog),
  ...createSessionRoutes(catalog),
  ...createRepositoryRoutes(catalog),
  ...createDatasetRoutes(catalog),
  ...createSearchRoutes(catalog),
  ...createColumnRoutes(catalog),
  ...createPermissionRoutes(catalog),
  ...createTeamRoutes(catalog),
];
