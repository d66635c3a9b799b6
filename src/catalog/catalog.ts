import type { HomeTurns } from '../rows/index.js';
import type { Sql } from '../storage/postgres/sql.js';
import { createAccess } from './access.js';
import { createAccounts } from './accounts.js';
import { createAuditTrail, createKeyUse } from './audit-trail.js';
import { createAuthenticator } from './authenticator.js';
import { createClones } from './clones.js';
import { createColumns } from './columns.js';
import { createDatasets } from './datasets.js';
import { createExportCounts } from './export-counts.js';
import { createFoundDatasets } from './found-datasets.js';
import { createGrants } from './grants.js';
import { createKeys } from './keys.js';
import { createOverview } from './overview.js';
import { createPlans } from './plans.js';
import { createQuotas } from './quotas.js';
import { createReadLinks } from './read-links.js';
import { createRepositories } from './repositories.js';
import { createRetentionSettings } from './retention-settings.js';
import { createCatalogSearch } from './search.js';
import { createSessions } from './sessions.js';
import { createStandingRights } from './standing-rights.js';
import { createTeamInvitations } from './team-invitations.js';
import { createTeams } from './teams.js';

interface CatalogOptions {
  readonly sql: Sql;
  /** Seconds until sessions of the web app expire. @default a week */
  readonly sessionMaxAgeSeconds?: number;
  /** Chooses the home shards of new datasets. @default the only shard */
  readonly homeTurns?: HomeTurns;
}

export const createCatalog = ({ sql, sessionMaxAgeSeconds, homeTurns }: CatalogOptions) => {
  const found = createFoundDatasets();
  const access = createAccess({ sql, found });
  const exportCounts = createExportCounts({ sql });
  const quotas = createQuotas({ sql, exportCounts });
  const accounts = createAccounts({ sql });
  return {
    access,
    quotas,
    accounts,
    auditTrail: createAuditTrail({ sql }),
    keyUse: createKeyUse({ sql }),
    exportCounts,
    authenticate: createAuthenticator({ sql, found }),
    sessions: createSessions({ sql, maxAgeSeconds: sessionMaxAgeSeconds }),
    rights: createStandingRights({ sql }),
    keys: createKeys({ sql }),
    readLinks: createReadLinks({ sql }),
    plans: createPlans({ sql }),
    teams: createTeams({ sql }),
    invitations: createTeamInvitations({ sql }),
    overview: createOverview({ sql, accounts, quotas }),
    repositories: createRepositories({ sql, access }),
    search: createCatalogSearch({ sql }),
    datasets: createDatasets({ sql, access, homeTurns }),
    columns: createColumns({ sql, access }),
    retention: createRetentionSettings({ sql, access }),
    clones: createClones({ sql, access, quotas }),
    grants: createGrants({ sql, access }),
  };
};

export type Catalog = ReturnType<typeof createCatalog>;
