// Generated from the OpenAPI document of the service; see README.md. Do not edit.

export interface paths {
    "/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read your account, its plan and its usage
         * @description A key that is limited to some repositories does not see the list of datasets.
         */
        get: operations["getAccount"];
        /** Set name and active workspace */
        put: operations["updateAccount"];
        post?: never;
        /**
         * Delete your account with all of its data
         * @description Repositories, datasets with all versions, keys, sessions, memberships and permissions are deleted at once and permanently; call `GET /account/export` first. Clones of other accounts stay, and so do datasets that you created in repositories of others. 409 `team_repositories` while you own repositories of teams with other members: transfer or delete those first; `last_admin` for the last admin of a team with members, `last_operator` for the last operator.
         */
        delete: operations["deleteAccount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys of the account
         * @description A key that is limited to some repositories sees only itself.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The answer is the only place that shows it.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/keys/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How often an API key was used, by day
         * @description Days in UTC, newest first; today’s requests are counted with a delay of about a minute. A key that is limited to some repositories sees only its own.
         */
        get: operations["getKeyUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description It stops working at once.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who is signed in */
        get: operations["getSession"];
        put?: never;
        /**
         * Sign in from a browser
         * @description Needs the API key itself in `Authorization`. The answer sets a cookie that scripts cannot read, that no other site sends, and that may do what the key may do, until it expires, is ended, or the key ends.
         */
        post: operations["signIn"];
        /**
         * Sign out
         * @description 204 also without a session.
         */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/repositories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List every repository the caller can access
         * @description Your own, those of your teams, shared and public ones, without paging.
         */
        get: operations["listRepositories"];
        put?: never;
        /**
         * Create a repository
         * @description Not idempotent: every call creates a repository.
         */
        post: operations["createRepository"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/repositories/home": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the caller's Home repository */
        get: operations["getHomeRepository"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/repositories/default": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the default writable repository of the active workspace
         * @description Home, or the first writable repository of the active team; created when the team has none. Home if the plan does not allow that.
         */
        get: operations["getDefaultRepository"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/repositories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a repository
         * @description A public repository can be read without a key.
         */
        get: operations["getRepository"];
        /**
         * Update a repository
         * @description Replaces name, privacy and description: a description that is left out becomes null. The team cannot be changed. Needs Owner.
         */
        put: operations["updateRepository"];
        post?: never;
        /** Delete a repository and all of its datasets */
        delete: operations["deleteRepository"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List every dataset the caller can access
         * @description Across repositories, without paging.
         */
        get: operations["listDatasets"];
        put?: never;
        /**
         * Create a dataset
         * @description Not idempotent. Needs Write on the repository.
         */
        post: operations["createDataset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a dataset with its columns
         * @description A dataset of a public repository can be read without a key.
         */
        get: operations["getDataset"];
        /**
         * Update name, description and source of a dataset
         * @description Replaces all of them: a description, source name or source address that is left out becomes null. Needs Write.
         */
        put: operations["updateDataset"];
        post?: never;
        /**
         * Delete a dataset and its data
         * @description Needs Write.
         */
        delete: operations["deleteDataset"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/clone": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Clone a dataset
         * @description Makes a dataset of the same columns, rows and current version; both are independent afterwards. Needs Clone on the dataset and Write on the target repository.
         */
        post: operations["cloneDataset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search datasets, columns and repositories
         * @description What the caller may see, without a key what is public. Every word of `q` has to occur: in name, description or source of a dataset, in name or description of a repository, as the beginning of a word in the name of a column. Without `q` what changed last.
         */
        get: operations["searchCatalog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{dataset_id}/columns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the columns of a dataset */
        get: operations["listColumns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/repositories/{id}/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who may do what in a repository
         * @description Needs Admin.
         */
        get: operations["listRepositoryPermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/repositories/{id}/permissions/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Grant an account or team a level on a repository
         * @description Needs Admin; no level above your own can be granted. A grant to an account decides alone; a grant to the team of the repository replaces the level of its members.
         */
        put: operations["setRepositoryPermission"];
        post?: never;
        /**
         * Revoke a grant on a repository
         * @description Needs Admin, except for your own grant unless it limits what your team gives you. The creator of the repository remains Owner.
         */
        delete: operations["revokeRepositoryPermission"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the grants on a single dataset
         * @description In addition to the grants of its repository. Needs Admin.
         */
        get: operations["listDatasetPermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/permissions/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Give an account or team Read or Clone on a dataset
         * @description Needs Admin.
         */
        put: operations["setDatasetPermission"];
        post?: never;
        /**
         * Revoke a grant on a dataset
         * @description Needs Admin, or concerns your own account.
         */
        delete: operations["revokeDatasetPermission"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the teams the caller is in */
        get: operations["listTeams"];
        put?: never;
        /**
         * Create a team
         * @description The caller becomes its admin.
         */
        post: operations["createTeam"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a team with its members */
        get: operations["getTeam"];
        /**
         * Rename a team
         * @description By an admin of the team.
         */
        put: operations["renameTeam"];
        post?: never;
        /**
         * Delete a team
         * @description By an admin of the team. Its repositories stay with those who created them.
         */
        delete: operations["deleteTeam"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teams/{name}/members/{account}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Invite an account to a team, or change the role of a member
         * @description By an admin of the team. An account that is not in the team is invited (202) and is in it once it has accepted: see `/account/invitations`.
         */
        put: operations["setTeamMember"];
        post?: never;
        /**
         * Remove an account from a team
         * @description By an admin, or by the account itself. Access through the team ends at once. Also withdraws an invitation.
         */
        delete: operations["removeTeamMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the invitations of the caller to teams */
        get: operations["listInvitations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/invitations/{team}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Accept an invitation to a team */
        put: operations["acceptInvitation"];
        post?: never;
        /** Decline an invitation to a team */
        delete: operations["declineInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/repositories/{id}/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Offer a repository to another account
         * @description Nothing changes until that account accepts (`PUT /account/transfers/{id}`): then it owns the repository with all datasets, versions and permissions, and the bytes count against its plan. Replaces an offer to another account.
         */
        put: operations["offerRepository"];
        post?: never;
        /** Withdraw the offer of a repository */
        delete: operations["withdrawRepositoryOffer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List offers of repositories, to you and by you */
        get: operations["listTransfers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/transfers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Take a repository that you were offered */
        put: operations["acceptTransfer"];
        post?: never;
        /** Decline a repository that you were offered */
        delete: operations["declineTransfer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download rows
         * @description The rows of a dataset, filtered and shaped. Each option is read with and without its `$`; `$quote=minimal` or `all` says which fields of csv and tsv are quoted. A whole table in CSV or Parquet, also transposed, is answered by a redirect to a short-lived link. An answer that cannot be finished ends with a broken connection.
         */
        get: operations["downloadRows"];
        /**
         * Upload a CSV file
         * @description Multipart form with the CSV file, plain or gzip, in the part named `data`. The first record names the columns. The response is sent once the whole file is received; the rows are visible when the process is `completed`. Every option can be given here or as a form field before the file. `Content-MD5`, `Digest` and `Repr-Digest` are checksums of the bytes of the file part; `If-Match` with the id of the current version in quotes makes the upload conditional. With `async=false` the answer waits for the end of the process; a failed one is answered with the status of its error: 422 if the content of the file is the reason.
         */
        put: operations["uploadFile"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/processes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the upload processes of a dataset
         * @description Needs Write: a process and its rejected rows quote a file that may never be published. Read sees versions only.
         */
        get: operations["listProcesses"];
        put?: never;
        /**
         * Reserve an upload process
         * @description Gives its id at once, so that an upload can be followed from its first byte: send the file with `?processId=`. Until then it is `pending` without a mode; one that no upload has filled by `expiresAt` (after an hour, unless the service is set otherwise) fails as `reservation_expired`. Nothing waits for it: uploads of a dataset publish in the order in which they are received. Needs Write.
         */
        post: operations["reserveProcess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/processes/{processId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an upload process
         * @description Needs Write: a process and its rejected rows quote a file that may never be published. Read sees versions only.
         */
        get: operations["getProcess"];
        put?: never;
        post?: never;
        /**
         * Cancel a pending upload process
         * @description The dataset does not change. Needs Write.
         */
        delete: operations["cancelProcess"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/processes/{processId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow an upload process
         * @description Server-sent events: `progress` whenever something changed, then `completed` or `failed`, then the end; a broken connection when the right to read has ended. The data of each is the process. Needs Write: a process and its rejected rows quote a file that may never be published. Read sees versions only.
         */
        get: operations["followProcess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/processes/{processId}/rejects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the records that were set aside
         * @description Line, column, reason and the record as it is in the file (the first 64 KiB of it). Needs Write: a process and its rejected rows quote a file that may never be published. Read sees versions only.
         */
        get: operations["downloadRejects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/processes/{processId}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a dry run would change
         * @description Counts in the data store; for an hour after the dry run, unless the operator set another time. Needs Write: a process and its rejected rows quote a file that may never be published. Read sees versions only.
         */
        get: operations["getDryRunDiff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{dataset_id}/columns/{column_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a column
         * @description Makes a new version of the same rows without the column; older versions keep it. An upload that has a column of its name brings it back, without the values that it had. Needs Write.
         */
        delete: operations["deleteColumn"];
        options?: never;
        head?: never;
        /**
         * Change name, role or description of a column, or merge it into another one
         * @description The id does not change. Filters and selections can use the new name at once; a read of an older version has its original names. With `merge`, the column is merged into the existing column with that name, in a new version: the id of that column stays, and each row has the value of the two that is not null. Rows with two different values are 409 `values_collide`, with their number and the first three in `details`; then nothing is changed. Needs Write.
         */
        patch: operations["updateColumn"];
        trace?: never;
    };
    "/datasets/{id}/retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read how long old versions of a dataset are kept */
        get: operations["getRetention"];
        /**
         * Set how long old versions of a dataset are kept
         * @description Sets both; what is left out is null: no bound. Versions beyond go within the hour; pinned ones and the current one stay. Needs Admin.
         */
        put: operations["setRetention"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the versions of a dataset */
        get: operations["listVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/versions/{versionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a version */
        get: operations["getVersion"];
        /**
         * Label or pin a version
         * @description Sets both; what is left out is unset. Needs Write.
         */
        put: operations["labelVersion"];
        post?: never;
        /**
         * Delete a version
         * @description Its rows are deleted if no other version has them. The current version cannot be deleted. Needs Write.
         */
        delete: operations["deleteVersion"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/versions/{versionId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make an older version the current one
         * @description Creates a new version with the same rows and columns, which counts like any other for retention and the limits of the plan. Needs Write.
         */
        post: operations["restoreVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/versions/{from}/diff/{to}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two versions
         * @description Counted in the data store; no rows are sent.
         */
        get: operations["compareVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Download rows, with the options in the body
         * @description For options that are too long for an address. Rows are always in the answer itself. For the next page send the same body to the address in `Link`.
         */
        post: operations["queryRows"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/odata/datasets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * OData service of a dataset
         * @description The service document: the address to give to Excel, Power BI and other OData clients.
         */
        get: operations["odataService"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/odata/datasets/{id}/$batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Several requests to the OData service of a dataset at once
         * @description Up to 50 parts that read, as JSON or as multipart/mixed, answered one after the other: each has the rights, quotas and refusals of a request of its own. Their answers have 8 MiB together. After the first error the rest is left out, unless `Prefer: continue-on-error` is sent.
         */
        post: operations["odataBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/odata/datasets/{id}/{resource}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Resource of the OData service of a dataset
         * @description `$metadata`; `Rows`, in pages that `@odata.nextLink` joins; one row by its key, as in `Rows('34359738368')`.
         */
        get: operations["odataResource"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/odata/datasets/{id}/{resource}/{part}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Number of rows, by OData, of a dataset
         * @description `Rows/$count`: the rows that match, as plain text.
         */
        get: operations["odataCount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/odata/repositories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * OData service of a repository
         * @description The service document of a repository: an entity set for each of its datasets that has data and that the caller may read.
         */
        get: operations["odataRepositoryService"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/odata/repositories/{id}/$batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Several requests to the OData service of a repository at once
         * @description Up to 50 parts that read, as JSON or as multipart/mixed, answered one after the other: each has the rights, quotas and refusals of a request of its own. Their answers have 8 MiB together. After the first error the rest is left out, unless `Prefer: continue-on-error` is sent.
         */
        post: operations["odataRepositoryBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/odata/repositories/{id}/{resource}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Resource of the OData service of a repository
         * @description `$metadata`; `Prices`, in pages that `@odata.nextLink` joins; one row by its key, as in `Prices('34359738368')`.
         */
        get: operations["odataRepositoryResource"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/odata/repositories/{id}/{resource}/{part}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Number of rows, by OData, of a repository
         * @description `Prices/$count`: the rows that match, as plain text.
         */
        get: operations["odataRepositoryCount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/open/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * File that opens a dataset in Excel or Power BI
         * @description A file that opens with a double click: `odc` (Excel, Power Query over OData), `pbids` (Power BI Desktop, OData), `iqy` (Excel web query of tab-separated text). It contains the address of the dataset and no key: the program asks for the key.
         */
        get: operations["openDataset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/read-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Save a question under a permanent address
         * @description For tools that cannot send headers. The address needs no key and answers the question with the current version, or with the one that `versionId` or `asOf` names, as long as the account that made it may read the dataset. A link that is made with a key which is limited to some repositories ends with that key. With `chart` the answer is a picture (SVG) and a page for frames, as long as the dataset is public.
         */
        post: operations["createReadLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/read-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the read links of the account
         * @description A key that is limited to some repositories sees the links that were made with it.
         */
        get: operations["listReadLinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/read-links/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a read link
         * @description It stops working at once; answers that are being sent are aborted.
         */
        delete: operations["revokeReadLink"];
        options?: never;
        head?: never;
        /** Rename a read link, or set its end and its quota */
        patch: operations["updateReadLink"];
        trace?: never;
    };
    "/links/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the rows behind a read link
         * @description Takes no key. Pages of every site may read it. `HEAD` and conditional requests are answered; each answer with rows counts as an export of the account that made the link. A whole table as Parquet is sent in ranges as well, which together are one export. A chart ends in `.svg` or, as a page for frames, in `.html`.
         */
        get: operations["fetchReadLink"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the columns hold
         * @description Per column, over all rows: nulls, different values, bounds, mean, quantiles and a histogram of numbers and dates, the most frequent texts. Kept per version.
         */
        get: operations["getSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/columns/{column}/values": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Values of a column
         * @description Each value with the number of its rows, the most frequent first; for completion.
         */
        get: operations["listColumnValues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/versions/{from}/diff/{to}/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the rows in which two versions differ
         * @description CSV. The first column, `change`, says `removed`, `added`, or `before` and `after` for the two sides of a changed row. A column that one side lacks is empty there. Removed rows come first, then added and changed ones in the order of the second version.
         */
        get: operations["downloadVersionDiff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/processes/{processId}/diff/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the rows that a dry run would change
         * @description CSV. The first column, `change`, says `removed`, `added`, or `before` and `after` for the two sides of a changed row. A column that one side lacks is empty there. Needs Write: a process and its rejected rows quote a file that may never be published. Read sees versions only.
         */
        get: operations["downloadDryRunDiff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Values of observations in each version
         * @description Every value that observations had in the kept versions, with the version that introduced it. The entity columns identify an observation; if several rows of one version have equal ones, each row is an observation. `change` is `added`, `changed`, or `removed` with the removed values. Values that a version does not change are not repeated.
         */
        get: operations["listRevisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/links/{token}/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch a file by its link
         * @description Links come from downloads of whole files, and work as long as the key or session that requested them, its account and its permission exist. Single and multiple ranges and conditional requests are supported. A file that is still being written is sent as it grows. Ranges of a file count as one export; of the bytes, those that are sent.
         */
        get: operations["fetchFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/data.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the whole table as csv
         * @description The whole table as a file at a permanent address, for tools that read an address with the key in `Authorization` or `apiKey`. Ranges are answered without a redirect; if the dataset may change meanwhile, set `versionId` or compare `ETag`. Ranges of a file count as one export, with the bytes that are sent.
         */
        get: operations["readTableAsCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/data.parquet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the whole table as parquet
         * @description The whole table as a file at a permanent address, for tools that read an address with the key in `Authorization` or `apiKey`. Ranges are answered without a redirect; if the dataset may change meanwhile, set `versionId` or compare `ETag`. Ranges of a file count as one export, with the bytes that are sent.
         */
        get: operations["readTableAsParquet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get all data of your account as a ZIP
         * @description As JSON: the account, its keys without secrets, names of providers for which it has a key, teams, invitations, permissions, what the audit trail has of it, each repository, and each dataset with columns, versions, uploads and permissions. The rows of each dataset of your own repositories as CSV. `files.json` names every file with size and SHA-256; `manifest.json` is the last file: an archive without it is incomplete. Counts as one export. Needs a key that is not limited.
         */
        get: operations["exportAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List providers
         * @description All of them, without paging.
         */
        get: operations["listProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers/match": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find providers by words
         * @description Each word is looked up in slug, name, organisation and description; providers that match more words come first. At most 5.
         */
        get: operations["matchProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One provider */
        get: operations["getProvider"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers/{slug}/quota": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is left of the limits of a provider
         * @description For the key that requests of the caller would carry. Sends no request to a provider and counts as none.
         */
        get: operations["getProviderQuota"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search all providers at once
         * @description Uses the search index of the service. If that has few hits, the searches of providers that have one (FRED, DBnomics, Alpha Vantage) are used as well, within a second and their limits; `notAsked` lists those that were not used.
         */
        get: operations["searchProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers/{slug}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search one provider
         * @description Needs capability `search`. An empty `q` finds nothing.
         */
        get: operations["searchProvider"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers/{slug}/browse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Browse the tree of a provider
         * @description Needs capability `hierarchical`. With `depth` above 1 folders have `children`; where they are absent (wide trees, small quotas) continue with `path`. With `series=true` the series at the path.
         */
        get: operations["browseProvider"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers/{slug}/series/{seriesId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview of a series
         * @description About the 24 newest observations. If the provider needs a key and none is stored, `api_key_hint` says how to get one; data is included if the provider shows some without a key.
         */
        get: operations["previewSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers/{slug}/series/{seriesId}/data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * All observations of a series
         * @description Parameters are those of the provider; the error names unknown and invalid ones.
         */
        post: operations["getSeries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers/{slug}/series/{seriesId}/panel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Several series at once
         * @description Series that differ in some dimensions, from as few requests to the provider as it allows. World Bank: `country` takes a list or `all` (countries, without regions). SDMX services (BIS, ECB, ILO, IMF, Norges Bank, OECD, UN Data) and Eurostat: positions of the key that are empty, `*`, or codes joined by `+` (`D..EUR.SP00.A`, `M.JP+US`). BLS: ids joined by `+`, at most 100; Statistics Canada at most 50. FRED: the vintages between `realtimeStart` and `realtimeEnd`. All others: ids joined by `+`, at most 10, read one by one. More than 200,000 observations: 400 `panel_too_large`.
         */
        post: operations["getPanel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers/{slug}/series/{seriesId}/dataset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Keep a series as a dataset
         * @description Creates a dataset with columns Date, Series, Value (and Flag, see `columns`) and uploads all observations. With `refresh` the series is requested again on that schedule, for the account and with the key of the caller; a new version is published only if the data has changed. Needs Write on the repository.
         */
        post: operations["keepSeries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/datasets/{id}/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Change when a dataset made of series is refreshed */
        put: operations["setRefresh"];
        /**
         * Refresh a dataset made of series soon
         * @description The refresh runs in the background, with the next housekeeping; reading the dataset shows its result.
         */
        post: operations["refreshDataset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Providers for which the caller has stored a key */
        get: operations["listUserKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user-keys/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Store, replace or delete a key
         * @description A text stores the key (trimmed, at most 512 characters); null, an empty text or an omitted field deletes it. The key is sealed at rest and sent to this provider only.
         */
        put: operations["setUserKey"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/feed/search/{query}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Search symbols of the feed */
        get: operations["searchFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/feed/{symbol}/data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rows of a symbol
         * @description Columns `Date` and `Value`, oldest first. Characters such as `^` and `=` are sent encoded.
         */
        get: operations["downloadFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Uploads of all accounts, newest first
         * @description Needs the key of an operator account.
         */
        get: operations["listAllUploads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/uploads/{processId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One upload, with its times by stage
         * @description Needs the key of an operator account.
         */
        get: operations["getAnyUpload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/uploads/{processId}/chunks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Chunks of an upload that workers have seen, with their offsets in Kafka
         * @description Needs the key of an operator account.
         */
        get: operations["listUploadChunks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/uploads/{processId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have a worker read a failed or stuck upload again from Kafka
         * @description Needs the key of an operator account and a key that may write. A failed one is tried again unless something newer was published; a pending one only with `takeOver`.
         */
        post: operations["replayUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Messages that no worker could decode and that are not settled, oldest first
         * @description Needs the key of an operator account.
         */
        get: operations["listDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/dead-letters/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A dead letter with its headers and first bytes
         * @description Needs the key of an operator account.
         */
        get: operations["getDeadLetter"];
        put?: never;
        post?: never;
        /**
         * Drop a dead letter from the list for good
         * @description Needs the key of an operator account and a key that may write.
         */
        delete: operations["dropDeadLetter"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/dead-letters/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a dead letter back to its topic, when its upload still waits for it
         * @description Needs the key of an operator account and a key that may write.
         */
        post: operations["replayDeadLetter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/stores": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tables, parts, bytes, disks and the largest datasets
         * @description Needs the key of an operator account.
         */
        get: operations["getStores"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/consuming": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Have all workers wait before their next chunk, or go on
         * @description Needs the key of an operator account and a key that may write. Uploads are accepted meanwhile and wait in Kafka.
         */
        put: operations["setConsuming"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Background jobs: next run, last run, and the process that runs each
         * @description Needs the key of an operator account.
         */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/jobs/{name}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a job now
         * @description It starts within a second, in the processes that run it; a running job runs once more afterwards. Needs the key of an operator account and a key that may write.
         */
        post: operations["runJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/samples": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How the service fared, a line a minute
         * @description Kept for a day, one for all processes. A minute without a line: no API process ran, or PostgreSQL did not answer. Needs the key of an operator account.
         */
        get: operations["listSamples"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Audit trail, for operators
         * @description Permissions, keys, deletes, teams, accounts, plans and commands of operators, newest first. Each event is written in the transaction of its action. Needs the key of an operator account.
         */
        get: operations["listAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * State of the service, for operators
         * @description Needs the key of an operator account. The console at `/ops` shows it.
         */
        get: operations["getServiceState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            /** @description Message for people. */
            error: string;
            /**
             * @description Stable code for programs. Later versions may add codes.
             * @enum {string}
             */
            code: "above_own_level" | "account_disabled" | "account_not_found" | "ambiguous_credentials" | "ambiguous_series" | "answer_too_large" | "answers_not_read" | "apply_syntax" | "apply_type" | "apply_unsupported" | "arithmetic_overflow" | "backlog" | "bad_authorization" | "bad_batch" | "bad_combination" | "bad_form" | "bad_option" | "bad_skiptoken" | "batch_too_large" | "before_first_version" | "blank_before_quote" | "body_too_large" | "body_too_slow" | "busy" | "cancelled" | "changed_meanwhile" | "chart_not_public" | "chunk_altered" | "chunk_known" | "chunk_unusable" | "chunks_expired" | "column_name_too_long" | "column_not_found" | "completed" | "connector_failed" | "content_encoding" | "cross_site" | "current_version" | "dataset_gone" | "dataset_not_found" | "digest_mismatch" | "download_not_in_plan" | "dry_run_gone" | "duplicate_column_name" | "empty_column_name" | "empty_file" | "empty_key" | "encoded_part" | "expired" | "field_after_file" | "field_count" | "field_too_long" | "fields_too_large" | "file_store_unavailable" | "filter_limit" | "filter_syntax" | "filter_type" | "filter_unsupported" | "forged_message" | "grant_not_found" | "gzip_bomb" | "gzip_damaged" | "gzip_truncated" | "home" | "http_version" | "internal" | "invalid_api_key" | "invalid_body" | "invalid_column_name" | "invalid_cron" | "invalid_digest" | "invalid_encoding" | "invalid_host" | "invalid_manifest" | "invalid_name" | "invalid_option" | "invalid_parameter" | "invalid_request" | "invalid_schedule" | "invalid_utf16" | "invalid_utf8" | "invitation_not_found" | "key_expired" | "key_in_password" | "key_not_found" | "key_not_unique" | "key_read_only" | "key_revoked" | "key_scope" | "key_update_conflict" | "last_admin" | "last_operator" | "last_owner" | "link_expired" | "link_invalid" | "link_not_found" | "link_outdated" | "link_quota_exceeded" | "log_unavailable" | "malformed_header" | "malformed_json" | "malformed_request" | "member_not_found" | "message_expired" | "metrics_token" | "miscounted" | "missing_body" | "missing_columns" | "missing_key" | "missing_query" | "name_taken" | "never_answered" | "new_columns" | "newer_upload" | "no_answer_room" | "no_body_room" | "no_byte_order_mark" | "no_call_slot" | "no_columns" | "no_data" | "no_date_column" | "no_dry_run" | "no_event_slot" | "no_file" | "no_file_slot" | "no_key" | "no_master_key" | "no_permission" | "no_query_slot" | "no_repositories" | "no_request_slot" | "no_series" | "no_upload_slot" | "no_version" | "no_vintages" | "not_a_batch" | "not_an_account" | "not_confirmed" | "not_json" | "not_multipart" | "not_operator" | "not_received" | "nul_character" | "only_column" | "operation_not_implemented" | "operation_not_supported" | "operation_timeout" | "other_file" | "other_version" | "other_vintage" | "paid_provider" | "panel_too_large" | "part_twice" | "path_not_found" | "permission_ended" | "principal_not_found" | "process_ended" | "process_gone" | "process_not_found" | "process_of_other_account" | "process_used" | "provider_not_found" | "query_complexity_limit" | "query_failed" | "query_memory_limit" | "query_size_limit" | "query_timeout" | "quota_columns" | "quota_exceeded" | "quota_rows" | "record_too_large" | "repeated_host" | "repeated_option" | "repeated_parameter" | "repeated_row" | "replay_differs" | "repository_not_found" | "reservation_expired" | "rows_joined" | "same_account" | "same_column" | "search_syntax" | "series_not_found" | "session_ended" | "settled" | "slot_lost" | "still_pending" | "still_undecodable" | "store_busy" | "store_refused" | "store_unavailable" | "superseded" | "team_is_fixed" | "team_not_found" | "team_repositories" | "text_after_quote" | "text_too_long" | "too_complex" | "too_deep" | "too_many_bad_rows" | "too_many_body_bytes" | "too_many_columns" | "too_many_datasets" | "too_many_dates" | "too_many_digits" | "too_many_elements" | "too_many_failures" | "too_many_keys" | "too_many_links" | "too_many_parameters" | "too_many_parts" | "too_many_points" | "too_many_records" | "too_many_repositories" | "too_many_reservations" | "too_many_series" | "too_many_sets" | "too_many_teams" | "too_many_uploads" | "too_many_versions" | "transfer_not_found" | "type_conflict" | "unavailable" | "unexpected_reply" | "unknown_column" | "unknown_file" | "unknown_host" | "unknown_job" | "unknown_key" | "unknown_message" | "unknown_option" | "unknown_parameter" | "unknown_part" | "unknown_path" | "unknown_process" | "unknown_repository" | "unknown_row" | "unknown_team" | "unknown_version" | "unknown_workspace" | "unlisted_columns" | "unsupported_version" | "unterminated_quote" | "upload_abandoned" | "upload_broken_off" | "upload_cut" | "upload_expired" | "upload_idle" | "upload_too_large" | "upload_too_slow" | "upload_unanswered" | "upstream_circuit_open" | "upstream_down" | "upstream_failed" | "upstream_key_refused" | "upstream_key_required" | "upstream_not_found" | "upstream_rate_limited" | "upstream_refused_request" | "upstream_timeout" | "upstream_too_large" | "upstream_unreachable" | "value" | "values_collide" | "values_too_long" | "version_changed" | "version_gone" | "version_not_found" | "version_removed" | "wrong_encoding" | "wrong_method";
            /** @description Details of the error. */
            details?: {
                [key: string]: unknown;
            };
            /** @description Identifies the request in the logs of the service. */
            requestId?: string;
        };
        NotFoundMessage: {
            /** @description Message for people. */
            message: string;
            /**
             * @description Stable code for programs. Later versions may add codes.
             * @enum {string}
             */
            code: "above_own_level" | "account_disabled" | "account_not_found" | "ambiguous_credentials" | "ambiguous_series" | "answer_too_large" | "answers_not_read" | "apply_syntax" | "apply_type" | "apply_unsupported" | "arithmetic_overflow" | "backlog" | "bad_authorization" | "bad_batch" | "bad_combination" | "bad_form" | "bad_option" | "bad_skiptoken" | "batch_too_large" | "before_first_version" | "blank_before_quote" | "body_too_large" | "body_too_slow" | "busy" | "cancelled" | "changed_meanwhile" | "chart_not_public" | "chunk_altered" | "chunk_known" | "chunk_unusable" | "chunks_expired" | "column_name_too_long" | "column_not_found" | "completed" | "connector_failed" | "content_encoding" | "cross_site" | "current_version" | "dataset_gone" | "dataset_not_found" | "digest_mismatch" | "download_not_in_plan" | "dry_run_gone" | "duplicate_column_name" | "empty_column_name" | "empty_file" | "empty_key" | "encoded_part" | "expired" | "field_after_file" | "field_count" | "field_too_long" | "fields_too_large" | "file_store_unavailable" | "filter_limit" | "filter_syntax" | "filter_type" | "filter_unsupported" | "forged_message" | "grant_not_found" | "gzip_bomb" | "gzip_damaged" | "gzip_truncated" | "home" | "http_version" | "internal" | "invalid_api_key" | "invalid_body" | "invalid_column_name" | "invalid_cron" | "invalid_digest" | "invalid_encoding" | "invalid_host" | "invalid_manifest" | "invalid_name" | "invalid_option" | "invalid_parameter" | "invalid_request" | "invalid_schedule" | "invalid_utf16" | "invalid_utf8" | "invitation_not_found" | "key_expired" | "key_in_password" | "key_not_found" | "key_not_unique" | "key_read_only" | "key_revoked" | "key_scope" | "key_update_conflict" | "last_admin" | "last_operator" | "last_owner" | "link_expired" | "link_invalid" | "link_not_found" | "link_outdated" | "link_quota_exceeded" | "log_unavailable" | "malformed_header" | "malformed_json" | "malformed_request" | "member_not_found" | "message_expired" | "metrics_token" | "miscounted" | "missing_body" | "missing_columns" | "missing_key" | "missing_query" | "name_taken" | "never_answered" | "new_columns" | "newer_upload" | "no_answer_room" | "no_body_room" | "no_byte_order_mark" | "no_call_slot" | "no_columns" | "no_data" | "no_date_column" | "no_dry_run" | "no_event_slot" | "no_file" | "no_file_slot" | "no_key" | "no_master_key" | "no_permission" | "no_query_slot" | "no_repositories" | "no_request_slot" | "no_series" | "no_upload_slot" | "no_version" | "no_vintages" | "not_a_batch" | "not_an_account" | "not_confirmed" | "not_json" | "not_multipart" | "not_operator" | "not_received" | "nul_character" | "only_column" | "operation_not_implemented" | "operation_not_supported" | "operation_timeout" | "other_file" | "other_version" | "other_vintage" | "paid_provider" | "panel_too_large" | "part_twice" | "path_not_found" | "permission_ended" | "principal_not_found" | "process_ended" | "process_gone" | "process_not_found" | "process_of_other_account" | "process_used" | "provider_not_found" | "query_complexity_limit" | "query_failed" | "query_memory_limit" | "query_size_limit" | "query_timeout" | "quota_columns" | "quota_exceeded" | "quota_rows" | "record_too_large" | "repeated_host" | "repeated_option" | "repeated_parameter" | "repeated_row" | "replay_differs" | "repository_not_found" | "reservation_expired" | "rows_joined" | "same_account" | "same_column" | "search_syntax" | "series_not_found" | "session_ended" | "settled" | "slot_lost" | "still_pending" | "still_undecodable" | "store_busy" | "store_refused" | "store_unavailable" | "superseded" | "team_is_fixed" | "team_not_found" | "team_repositories" | "text_after_quote" | "text_too_long" | "too_complex" | "too_deep" | "too_many_bad_rows" | "too_many_body_bytes" | "too_many_columns" | "too_many_datasets" | "too_many_dates" | "too_many_digits" | "too_many_elements" | "too_many_failures" | "too_many_keys" | "too_many_links" | "too_many_parameters" | "too_many_parts" | "too_many_points" | "too_many_records" | "too_many_repositories" | "too_many_reservations" | "too_many_series" | "too_many_sets" | "too_many_teams" | "too_many_uploads" | "too_many_versions" | "transfer_not_found" | "type_conflict" | "unavailable" | "unexpected_reply" | "unknown_column" | "unknown_file" | "unknown_host" | "unknown_job" | "unknown_key" | "unknown_message" | "unknown_option" | "unknown_parameter" | "unknown_part" | "unknown_path" | "unknown_process" | "unknown_repository" | "unknown_row" | "unknown_team" | "unknown_version" | "unknown_workspace" | "unlisted_columns" | "unsupported_version" | "unterminated_quote" | "upload_abandoned" | "upload_broken_off" | "upload_cut" | "upload_expired" | "upload_idle" | "upload_too_large" | "upload_too_slow" | "upload_unanswered" | "upstream_circuit_open" | "upstream_down" | "upstream_failed" | "upstream_key_refused" | "upstream_key_required" | "upstream_not_found" | "upstream_rate_limited" | "upstream_refused_request" | "upstream_timeout" | "upstream_too_large" | "upstream_unreachable" | "value" | "values_collide" | "values_too_long" | "version_changed" | "version_gone" | "version_not_found" | "version_removed" | "wrong_encoding" | "wrong_method";
            /** @description Details of the error. */
            details?: {
                [key: string]: unknown;
            };
            /** @description Identifies the request in the logs of the service. */
            requestId?: string;
        };
        ODataError: {
            error: {
                /** @enum {string} */
                code: "above_own_level" | "account_disabled" | "account_not_found" | "ambiguous_credentials" | "ambiguous_series" | "answer_too_large" | "answers_not_read" | "apply_syntax" | "apply_type" | "apply_unsupported" | "arithmetic_overflow" | "backlog" | "bad_authorization" | "bad_batch" | "bad_combination" | "bad_form" | "bad_option" | "bad_skiptoken" | "batch_too_large" | "before_first_version" | "blank_before_quote" | "body_too_large" | "body_too_slow" | "busy" | "cancelled" | "changed_meanwhile" | "chart_not_public" | "chunk_altered" | "chunk_known" | "chunk_unusable" | "chunks_expired" | "column_name_too_long" | "column_not_found" | "completed" | "connector_failed" | "content_encoding" | "cross_site" | "current_version" | "dataset_gone" | "dataset_not_found" | "digest_mismatch" | "download_not_in_plan" | "dry_run_gone" | "duplicate_column_name" | "empty_column_name" | "empty_file" | "empty_key" | "encoded_part" | "expired" | "field_after_file" | "field_count" | "field_too_long" | "fields_too_large" | "file_store_unavailable" | "filter_limit" | "filter_syntax" | "filter_type" | "filter_unsupported" | "forged_message" | "grant_not_found" | "gzip_bomb" | "gzip_damaged" | "gzip_truncated" | "home" | "http_version" | "internal" | "invalid_api_key" | "invalid_body" | "invalid_column_name" | "invalid_cron" | "invalid_digest" | "invalid_encoding" | "invalid_host" | "invalid_manifest" | "invalid_name" | "invalid_option" | "invalid_parameter" | "invalid_request" | "invalid_schedule" | "invalid_utf16" | "invalid_utf8" | "invitation_not_found" | "key_expired" | "key_in_password" | "key_not_found" | "key_not_unique" | "key_read_only" | "key_revoked" | "key_scope" | "key_update_conflict" | "last_admin" | "last_operator" | "last_owner" | "link_expired" | "link_invalid" | "link_not_found" | "link_outdated" | "link_quota_exceeded" | "log_unavailable" | "malformed_header" | "malformed_json" | "malformed_request" | "member_not_found" | "message_expired" | "metrics_token" | "miscounted" | "missing_body" | "missing_columns" | "missing_key" | "missing_query" | "name_taken" | "never_answered" | "new_columns" | "newer_upload" | "no_answer_room" | "no_body_room" | "no_byte_order_mark" | "no_call_slot" | "no_columns" | "no_data" | "no_date_column" | "no_dry_run" | "no_event_slot" | "no_file" | "no_file_slot" | "no_key" | "no_master_key" | "no_permission" | "no_query_slot" | "no_repositories" | "no_request_slot" | "no_series" | "no_upload_slot" | "no_version" | "no_vintages" | "not_a_batch" | "not_an_account" | "not_confirmed" | "not_json" | "not_multipart" | "not_operator" | "not_received" | "nul_character" | "only_column" | "operation_not_implemented" | "operation_not_supported" | "operation_timeout" | "other_file" | "other_version" | "other_vintage" | "paid_provider" | "panel_too_large" | "part_twice" | "path_not_found" | "permission_ended" | "principal_not_found" | "process_ended" | "process_gone" | "process_not_found" | "process_of_other_account" | "process_used" | "provider_not_found" | "query_complexity_limit" | "query_failed" | "query_memory_limit" | "query_size_limit" | "query_timeout" | "quota_columns" | "quota_exceeded" | "quota_rows" | "record_too_large" | "repeated_host" | "repeated_option" | "repeated_parameter" | "repeated_row" | "replay_differs" | "repository_not_found" | "reservation_expired" | "rows_joined" | "same_account" | "same_column" | "search_syntax" | "series_not_found" | "session_ended" | "settled" | "slot_lost" | "still_pending" | "still_undecodable" | "store_busy" | "store_refused" | "store_unavailable" | "superseded" | "team_is_fixed" | "team_not_found" | "team_repositories" | "text_after_quote" | "text_too_long" | "too_complex" | "too_deep" | "too_many_bad_rows" | "too_many_body_bytes" | "too_many_columns" | "too_many_datasets" | "too_many_dates" | "too_many_digits" | "too_many_elements" | "too_many_failures" | "too_many_keys" | "too_many_links" | "too_many_parameters" | "too_many_parts" | "too_many_points" | "too_many_records" | "too_many_repositories" | "too_many_reservations" | "too_many_series" | "too_many_sets" | "too_many_teams" | "too_many_uploads" | "too_many_versions" | "transfer_not_found" | "type_conflict" | "unavailable" | "unexpected_reply" | "unknown_column" | "unknown_file" | "unknown_host" | "unknown_job" | "unknown_key" | "unknown_message" | "unknown_option" | "unknown_parameter" | "unknown_part" | "unknown_path" | "unknown_process" | "unknown_repository" | "unknown_row" | "unknown_team" | "unknown_version" | "unknown_workspace" | "unlisted_columns" | "unsupported_version" | "unterminated_quote" | "upload_abandoned" | "upload_broken_off" | "upload_cut" | "upload_expired" | "upload_idle" | "upload_too_large" | "upload_too_slow" | "upload_unanswered" | "upstream_circuit_open" | "upstream_down" | "upstream_failed" | "upstream_key_refused" | "upstream_key_required" | "upstream_not_found" | "upstream_rate_limited" | "upstream_refused_request" | "upstream_timeout" | "upstream_too_large" | "upstream_unreachable" | "value" | "values_collide" | "values_too_long" | "version_changed" | "version_gone" | "version_not_found" | "version_removed" | "wrong_encoding" | "wrong_method";
                message: string;
                innererror?: {
                    [key: string]: unknown;
                };
            };
        };
        Account: {
            /** @description Assigned by the service. */
            id: number;
            name: string;
            plan: {
                name: string;
                quotas: {
                    privateRepositories: {
                        /** @description Null: no limit. */
                        limit: number | null;
                        /** @description How much of it is used. */
                        used: number;
                    };
                    storedBytes: {
                        /** @description Null: no limit. */
                        limit: number | null;
                        /** @description How much of it is used. */
                        used: number;
                        /** @description What each dataset keeps, the 100 largest ones. Rows that datasets share (clones) count in each of them here, and once in `used`. */
                        datasets: {
                            /** @description The dataset. */
                            id: number;
                            name: string;
                            /** @description Of all its versions and of uploads in progress. */
                            bytes: number;
                            /** @description What the current version uses of it. It shares what did not change with older versions; the rest is theirs alone. */
                            currentBytes: number;
                            /** @description Versions kept. */
                            versions: number;
                        }[];
                    };
                    exportsPerDay: {
                        /** @description Null: no limit. */
                        limit: number | null;
                        /** @description How much of it is used. */
                        used: number;
                    };
                    exportBytesPerDay: {
                        /** @description Null: no limit. */
                        limit: number | null;
                        /** @description How much of it is used. */
                        used: number;
                    };
                    datasetRows: {
                        /** @description Null: no limit. */
                        limit: number | null;
                    };
                    columns: {
                        /** @description Null: no limit. */
                        limit: number | null;
                    };
                    uploadBytes: {
                        /** @description Null: no limit. */
                        limit: number | null;
                    };
                };
                paidProviders: boolean;
                privateHome: boolean;
                /** @enum {string} */
                downloads: "own" | "all";
            };
            /** @description `personal` or the name of a team. */
            workspace: string;
            isOperator: boolean;
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            createdAt: string;
        };
        ApiKey: {
            /** @description Assigned by the service. */
            id: number;
            name: string;
            /** @description Start of the key. */
            prefix: string;
            readOnly: boolean;
            /** @description Repositories it is limited to; null: all. */
            repositoryIds: number[] | null;
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            createdAt: string;
            expiresAt: string | null;
            /** @description Exact to a minute. */
            lastUsedAt: string | null;
        };
        CreatedApiKey: {
            /** @description Assigned by the service. */
            id: number;
            name: string;
            /** @description Start of the key. */
            prefix: string;
            readOnly: boolean;
            /** @description Repositories it is limited to; null: all. */
            repositoryIds: number[] | null;
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            createdAt: string;
            expiresAt: string | null;
            /** @description Exact to a minute. */
            lastUsedAt: string | null;
            /** @description The key; shown this once. */
            key: string;
        };
        Session: {
            /** @description Null: not signed in. */
            account: {
                /** @description The account. */
                id: number;
                name: string;
                isOperator: boolean;
                /** @description The key may change nothing. */
                readOnly: boolean;
                /** @description The key is limited to some repositories. */
                limited: boolean;
            } | null;
        };
        Repository: {
            /** @description Assigned by the service. */
            id: number;
            name: string;
            description: string | null;
            /** @enum {string} */
            privacy: "Public" | "Private";
            /** @description Name of the team it belongs to. */
            team: string | null;
            /**
             * @description The caller's level.
             * @enum {string}
             */
            permission: "Owner" | "Admin" | "Write" | "Clone" | "Read";
            /** @description True for the account's Home. */
            isHome: boolean;
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            createdAt: string;
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            updatedAt: string;
        };
        DatasetSummary: {
            /** @description Assigned by the service. */
            id: number;
            name: string;
            /** @description Repository it belongs to. */
            repositoryId: number;
            description: string | null;
            sourceName: string | null;
            sourceUrl: string | null;
            /**
             * @description The caller's level.
             * @enum {string}
             */
            permission: "Owner" | "Admin" | "Write" | "Clone" | "Read";
            /** @description Distance between neighbouring dates, such as Monthly. */
            frequency: string | null;
            /** @description First date. */
            minDate: string | null;
            /** @description Last date. */
            maxDate: string | null;
            /** @enum {string} */
            privacy: "Public" | "Private";
            /** @description Rows of the current version. */
            rowCount: number;
            /** @description Uncompressed bytes of the current version, as uploaded. */
            byteSize: number;
            /** @description Null before the first upload. */
            currentVersionId: string | null;
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            createdAt: string;
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            updatedAt: string;
            /** @description The series of the dataset, as the provider last described them. */
            series?: components["schemas"]["KeptSeries"][];
        };
        KeptSeries: {
            /** @description Value of the column Series: the id, and the parameters that differ where several series have the same id. */
            name: string;
            /** @description Slug. */
            provider: string;
            seriesId: string;
            /** @description Parameters of the request, defaults included. */
            params: {
                [key: string]: string | number;
            };
            label: string;
            /** @description What a value times `unitMultiplier` is in. */
            unit: string | null;
            unitMultiplier: number | null;
            source: string;
            license: string | null;
            /** @description The sentence that the terms of the provider ask to show with the data. */
            attribution: string | null;
            /** @description Meanings of the flags of its observations. */
            flags: {
                [key: string]: string;
            };
        };
        Dataset: {
            /** @description Assigned by the service. */
            id: number;
            name: string;
            /** @description Repository it belongs to. */
            repositoryId: number;
            description: string | null;
            sourceName: string | null;
            sourceUrl: string | null;
            /**
             * @description The caller's level.
             * @enum {string}
             */
            permission: "Owner" | "Admin" | "Write" | "Clone" | "Read";
            /** @description Distance between neighbouring dates, such as Monthly. */
            frequency: string | null;
            /** @description First date. */
            minDate: string | null;
            /** @description Last date. */
            maxDate: string | null;
            /** @enum {string} */
            privacy: "Public" | "Private";
            /** @description Rows of the current version. */
            rowCount: number;
            /** @description Uncompressed bytes of the current version, as uploaded. */
            byteSize: number;
            /** @description Null before the first upload. */
            currentVersionId: string | null;
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            createdAt: string;
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            updatedAt: string;
            /** @description The series of the dataset, as the provider last described them. */
            series?: components["schemas"]["KeptSeries"][];
            columns: components["schemas"]["Column"][];
            retention: components["schemas"]["Retention"];
            refresh?: components["schemas"]["Refresh"];
        };
        Column: {
            /** @description Unique; survives renames. */
            id: number;
            name: string;
            /** @enum {string} */
            dataType: "Date" | "String" | "Decimal";
            /** @description True for a dimension, false for a value. */
            isEntity: boolean;
            description: string | null;
        };
        /** @description Pinned versions and the current one always stay. */
        Retention: {
            /** @description How many of the newest versions are kept, the current one included; null: all. */
            versions: number | null;
            /** @description Days after which a replaced version is deleted; null: never. */
            days: number | null;
        };
        Refresh: {
            /** @description `daily`, `weekly` or five fields of cron in UTC; null: only on request. */
            schedule: string | null;
            lastRunAt: string | null;
            /** @description Why the last run failed; null when it succeeded. */
            lastError: string | null;
            nextRunAt: string | null;
            /** @description With `backfill`: how far the vintages of the provider have been brought in. */
            backfill?: {
                /**
                 * @description `waiting`: the last step failed; it is tried again at `nextRunAt`.
                 * @enum {string}
                 */
                state: "running" | "waiting" | "done";
                /** @description Vintages that are versions, or were until retention removed them. */
                done: number;
                /** @description Vintages that the provider had when the dataset was made. */
                total: number;
                /** @description Vintages older than those that retention keeps. */
                skipped: number;
                error: string | null;
                nextRunAt: string | null;
            };
        };
        CatalogSearchResult: {
            datasets: {
                /** @description Assigned by the service. */
                id: number;
                name: string;
                /** @description Repository it belongs to. */
                repositoryId: number;
                description: string | null;
                sourceName: string | null;
                sourceUrl: string | null;
                /**
                 * @description The caller's level.
                 * @enum {string}
                 */
                permission: "Owner" | "Admin" | "Write" | "Clone" | "Read";
                /** @description Distance between neighbouring dates, such as Monthly. */
                frequency: string | null;
                /** @description First date. */
                minDate: string | null;
                /** @description Last date. */
                maxDate: string | null;
                /** @enum {string} */
                privacy: "Public" | "Private";
                /** @description Rows of the current version. */
                rowCount: number;
                /** @description Uncompressed bytes of the current version, as uploaded. */
                byteSize: number;
                /** @description Null before the first upload. */
                currentVersionId: string | null;
                /**
                 * @description ISO 8601 in UTC, without zone offset.
                 * @example 2026-01-31T12:00:00.000
                 */
                createdAt: string;
                /**
                 * @description ISO 8601 in UTC, without zone offset.
                 * @example 2026-01-31T12:00:00.000
                 */
                updatedAt: string;
                /** @description The series of the dataset, as the provider last described them. */
                series?: components["schemas"]["KeptSeries"][];
                /** @description Columns of the current version. */
                columnCount: number;
            }[];
            columns: {
                /** @description The column. */
                id: number;
                name: string;
                description: string | null;
                /** @description Dataset it belongs to. */
                datasetId: number;
                datasetName: string;
            }[];
            repositories: components["schemas"]["Repository"][];
        };
        Permission: {
            /** @description Name of the account or team. */
            name: string;
            /** @enum {string} */
            type: "account" | "team";
            /** @enum {string} */
            level: "Owner" | "Admin" | "Write" | "Clone" | "Read";
            /**
             * @description creator: created it. team: through the team of the repository, whose admins have Admin. grant: granted here.
             * @enum {string}
             */
            origin: "creator" | "team" | "grant";
        };
        Team: {
            name: string;
            /**
             * @description The caller's role.
             * @enum {string}
             */
            role: "admin" | "member";
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            createdAt: string;
            members: {
                account: string;
                /** @enum {string} */
                role: "admin" | "member";
            }[];
            /** @description Accounts that were invited and have not replied yet, with the role offered. */
            invitations: {
                account: string;
                /** @enum {string} */
                role: "admin" | "member";
            }[];
        };
        Invitation: {
            /** @description Name of the team. */
            team: string;
            /**
             * @description Role that the caller will have.
             * @enum {string}
             */
            role: "admin" | "member";
            /** @description Account that sent the invitation; null when it no longer exists. */
            invitedBy: string | null;
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            createdAt: string;
        };
        RepositoryTransfer: {
            /** @description The repository. */
            repositoryId: number;
            /** @description Its name. */
            repository: string;
            /** @description Account that offers it. */
            from: string;
            /** @description Account that may take it. */
            to: string;
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            createdAt: string;
        };
        DeletedAccount: {
            /** @description Checked things and how many are left: none. Null where the rows and files follow (202). */
            remaining: {
                where: string;
                what: string;
                /** @description How many there are. */
                left: number;
            }[] | null;
        };
        Process: {
            id: number;
            datasetId: number;
            /** @enum {string} */
            status: "pending" | "completed" | "failed";
            /** @description ISO 8601 in UTC, without zone offset. */
            createdAt: string;
            completedAt: string | null;
            /** @description For a reserved process: time until which an upload may fill it. */
            expiresAt: string | null;
            /** @description Null while the process is reserved. */
            mode: string | null;
            /** @description The published version. */
            versionId: string | null;
            /** @description Rows stored so far. */
            rows: number;
            /** @description Uncompressed bytes received so far. */
            bytes: number;
            /** @description Bad records that were rejected. */
            rejectedRows: number;
            /** @description Rows that are new. Null until that is known, and in mode replace. */
            inserted: number | null;
            /** @description Rows of the previous version that have new values. Null until that is known, and in mode replace. */
            replaced: number | null;
            /** @description Rows whose key is in the file and whose values were already equal. Null until that is known, and in mode replace. */
            unchanged: number | null;
            /** @description Rows of the previous version that were removed. Null until that is known, and in mode replace. */
            removed: number | null;
            /** @description Everything is checked and counted, nothing is published. */
            dryRun: boolean;
            error: {
                /** @description Stable identifier of the reason. */
                code: string;
                message: string;
                /** @description Physical line in the file; the header is line 1. */
                line?: number;
                /** @description Name of the column. */
                column?: string;
                /** @description The text that does not fit, cut to 200 characters. */
                value?: string;
                /**
                 * @description The type of the column in the dataset, where the value does not fit that one (409).
                 * @enum {string}
                 */
                existingType?: "Date" | "String" | "Decimal";
                /** @description Of `key_not_unique`: the first keys that several rows have, at most three. */
                examples?: {
                    /** @enum {string} */
                    in: "file" | "dataset";
                    key: {
                        [key: string]: string | null;
                    };
                    rows: number;
                }[];
                /** @description Of `values_collide`: rows in which both columns have a value, and not the same one. */
                count?: number;
                /** @description The first of those rows, at most three: entities and the two values by their columns. */
                collisions?: {
                    /** @description Number of the row, from 1. */
                    row: number;
                    key: {
                        [key: string]: string | null;
                    };
                    values: {
                        [key: string]: string;
                    };
                }[];
            } | null;
            /** @description Notices about the file, at most 20, whether or not the upload completes. */
            notices: components["schemas"]["Notice"][];
            progress: {
                /** @description Bytes received of the body of the request, as sent. */
                received: number;
                /** @description Bytes of that body (`Content-Length`); null where the request does not say. */
                expected: number | null;
                /** @description Of receiving and storing, from 0 to 99, then 100 once completed; null while a body of unknown length comes. */
                percent: number | null;
                /** @description Parts of the file; null while it is still coming. */
                chunks: number | null;
                /** @description Parts handed on to be stored. */
                sent: number;
                /** @description Parts stored. */
                inserted: number;
                /** @description Rows stored. */
                rows: number;
                /** @description 2 or more: values made another reading of the file necessary. */
                attempt: number;
            };
        };
        Notice: {
            /** @description `type_changed`, `became_text`, `numbers_like_years`, `columns_added`, `columns_missing`, `similar_names`, `same_file`; others may come. */
            code: string;
            message: string;
            /** @description Name of the column. */
            column?: string;
            /** @description Physical line in the file; the header is line 1. */
            line?: number;
            /** @description The text in the file, cut to 200 characters. */
            value?: string;
            /** @description Names of columns, at most 20. */
            columns?: string[];
            /** @description How many more columns there are. */
            omitted?: number;
            /** @description Name of the column that it is easily confused with. */
            similarTo?: string;
            /**
             * @description Type in the version before.
             * @enum {string}
             */
            from?: "Date" | "String" | "Decimal";
            /**
             * @description Type now.
             * @enum {string}
             */
            to?: "Date" | "String" | "Decimal";
            /** @description Options of an upload that would have it otherwise, such as a manifest. */
            options?: {
                [key: string]: unknown;
            };
            /** @description The other upload that it is about. */
            processId?: number;
        };
        DryRunDiff: {
            /** @description The version that it would have followed; null: none. */
            from: string | null;
            /** @description The key by which rows are matched: the entity columns of both, or the key that an upload named. Empty: whole rows are compared. */
            keys: string[];
            /** @description Present where the entity columns are no key because several rows of one version share their values; whole rows are compared then. */
            ambiguousKeys?: string[];
            /** @description Rows that would come. */
            added: number;
            /** @description Rows that would go. */
            removed: number;
            /** @description Rows of the same key that would have other values. */
            changed: number;
        };
        RetentionSettings: {
            /** @description How many of the newest versions are kept, the current one included; null: all. */
            versions: number | null;
            /** @description Days after which a replaced version is deleted; null: never. */
            days: number | null;
            /** @description Limits of the plan; the lower value of each pair applies. */
            plan: {
                versions: number | null;
                days: number | null;
            };
        };
        Version: {
            versionId: string;
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            createdAt: string;
            /**
             * @description From when on it answers `asOf`: when it was made, or the day of a vintage that a backfill brought in later.
             * @example 2026-01-31T12:00:00.000
             */
            validFrom: string;
            /** @description How it was made: replace, append, upsert, sync, delete, restore, clone, delete_column, merge_columns or backfill. */
            mode: string;
            processId: number | null;
            /** @description Rows. */
            rows: number;
            /** @description Raw bytes of its rows, as they were uploaded. */
            bytes: number;
            /** @description Compared with the version before it. Lists of versions show at most 20 names and 2000 characters of each kind; the version read alone shows all. */
            columns: {
                added: string[];
                removed: string[];
                retyped: {
                    name: string;
                    /** @enum {string} */
                    from: "Date" | "String" | "Decimal";
                    /** @enum {string} */
                    to: "Date" | "String" | "Decimal";
                }[];
                /** @description Present where names are left out. */
                omitted?: {
                    /** @description Names left out of `added`. */
                    added: number;
                    /** @description Names left out of `removed`. */
                    removed: number;
                    /** @description Columns left out of `retyped`. */
                    retyped: number;
                };
            };
            minDate: string | null;
            maxDate: string | null;
            label: string | null;
            /** @description Retention keeps it. */
            pinned: boolean;
            current: boolean;
        };
        VersionDiff: {
            from: string;
            to: string;
            /** @description The key by which rows are matched: the entity columns of both, or the key that an upload named. Empty: whole rows are compared. */
            keys: string[];
            /** @description Present where the entity columns are no key because several rows of one version share their values; whole rows are compared then. */
            ambiguousKeys?: string[];
            /** @description Rows of the second version that the first lacks. */
            added: number;
            /** @description Rows of the first version that the second lacks. */
            removed: number;
            /** @description Rows of the same key with other values; 0 where whole rows are compared. */
            changed: number;
        };
        /** @description Answers with a chart instead of rows. */
        ReadLinkChart: {
            /**
             * @description The first date of the answer is the axis, otherwise its first column; texts name the series, numbers are drawn. For `scatter` the first number is the axis.
             * @enum {string}
             */
            kind: "line" | "bar" | "scatter";
            /**
             * @description Colours; `auto` follows the system of the reader.
             * @default auto
             * @enum {string}
             */
            theme: "auto" | "light" | "dark";
            /** @description Above the chart. @default the name of the dataset Kept exactly as given; at most 255 characters. */
            title?: string;
        };
        CreatedReadLink: {
            /** @description Assigned by the service. */
            id: number;
            name: string;
            /** @description The dataset. */
            datasetId: number;
            /** @description Null if the account may no longer see it. */
            datasetName: string | null;
            /** @description Start of the token in the address. */
            prefix: string;
            /** @description Options of the download. */
            query: {
                [key: string]: unknown;
            };
            /** @description How the answer is drawn; null: it is rows. */
            chart: {
                /**
                 * @description The first date of the answer is the axis, otherwise its first column; texts name the series, numbers are drawn. For `scatter` the first number is the axis.
                 * @enum {string}
                 */
                kind: "line" | "bar" | "scatter";
                /**
                 * @description Colours; `auto` follows the system of the reader.
                 * @default auto
                 * @enum {string}
                 */
                theme: "auto" | "light" | "dark";
                title: string;
            } | null;
            /** @description The key that limits the link, and with which it ends; null: none. */
            keyId: number | null;
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            createdAt: string;
            expiresAt: string | null;
            /** @description Null: no limit of its own. */
            maxBytesPerDay: number | null;
            /** @description Exact to a minute. */
            lastUsedAt: string | null;
            /** @description Answers with rows. */
            reads: number;
            /** @description Bytes of these answers. */
            bytes: number;
            /** @description Bytes of this day (UTC). */
            bytesToday: number;
            /** @description Why the link is refused at this moment, such as a permission that ended; null: it works. */
            refusedBecause: string | null;
            /** @description The address; shown this once. */
            url: string;
            /** @description The chart as a page for an `<iframe>`; null: it is rows. */
            pageUrl: string | null;
        };
        ReadLink: {
            /** @description Assigned by the service. */
            id: number;
            name: string;
            /** @description The dataset. */
            datasetId: number;
            /** @description Null if the account may no longer see it. */
            datasetName: string | null;
            /** @description Start of the token in the address. */
            prefix: string;
            /** @description Options of the download. */
            query: {
                [key: string]: unknown;
            };
            /** @description How the answer is drawn; null: it is rows. */
            chart: {
                /**
                 * @description The first date of the answer is the axis, otherwise its first column; texts name the series, numbers are drawn. For `scatter` the first number is the axis.
                 * @enum {string}
                 */
                kind: "line" | "bar" | "scatter";
                /**
                 * @description Colours; `auto` follows the system of the reader.
                 * @default auto
                 * @enum {string}
                 */
                theme: "auto" | "light" | "dark";
                title: string;
            } | null;
            /** @description The key that limits the link, and with which it ends; null: none. */
            keyId: number | null;
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            createdAt: string;
            expiresAt: string | null;
            /** @description Null: no limit of its own. */
            maxBytesPerDay: number | null;
            /** @description Exact to a minute. */
            lastUsedAt: string | null;
            /** @description Answers with rows. */
            reads: number;
            /** @description Bytes of these answers. */
            bytes: number;
            /** @description Bytes of this day (UTC). */
            bytesToday: number;
            /** @description Why the link is refused at this moment, such as a permission that ended; null: it works. */
            refusedBecause: string | null;
        };
        Summary: {
            versionId: string;
            /** @description Rows. */
            rows: number;
            columns: components["schemas"]["ColumnSummary"][];
        };
        ColumnSummary: {
            id: number;
            name: string;
            /** @enum {string} */
            dataType: "Date" | "String" | "Decimal";
            /** @description Rows, nulls included. */
            rows: number;
            /** @description Rows without a value. */
            nulls: number;
            /** @description Different values. */
            distinct: number;
            /** @description False: `distinct` is an estimate. */
            distinctExact: boolean;
            min: number | string | null;
            max: number | string | null;
            mean?: number | null;
            quantiles?: {
                [key: string]: number | string | null;
            };
            histogram?: {
                from: number | string | null;
                to: number | string | null;
                /** @description Values. */
                count: number;
            }[];
            top?: {
                value: string;
                /** @description Rows. */
                count: number;
            }[];
        };
        Provider: {
            /** @description Identifies the provider in paths; case does not matter. */
            slug: string;
            name: string;
            /** @description The organisation that publishes the data. */
            provider: string;
            description: string;
            capabilities: ("hierarchical" | "search" | "direct")[];
            license?: string;
            /** @description The attribution that the provider requires with its data. */
            attribution?: string;
        };
        ProviderMatch: {
            /** @description Identifies the provider in paths; case does not matter. */
            slug: string;
            name: string;
            /** @description The organisation that publishes the data. */
            provider: string;
            description: string;
            capabilities: ("hierarchical" | "search" | "direct")[];
            license?: string;
            /** @description The attribution that the provider requires with its data. */
            attribution?: string;
            parameters?: components["schemas"]["ProviderParameter"][];
            popular_series?: {
                id: string;
                label: string;
            }[];
            /** @constant */
            api_key_required?: true;
            has_api_key?: boolean;
            api_key_label?: string;
            api_key_hint?: string;
        };
        ProviderParameter: {
            key: string;
            label: string;
            /** @enum {string} */
            type: "number" | "text" | "select";
            /** @enum {string} */
            location: "body" | "query" | "header";
            default?: string | number;
            values?: {
                code: string;
                label: string;
            }[];
        };
        ProviderDetail: {
            /** @description Identifies the provider in paths; case does not matter. */
            slug: string;
            name: string;
            /** @description The organisation that publishes the data. */
            provider: string;
            description: string;
            capabilities: ("hierarchical" | "search" | "direct")[];
            license?: string;
            /** @description The attribution that the provider requires with its data. */
            attribution?: string;
            parameters: components["schemas"]["ProviderParameter"][];
            popular_series: {
                id: string;
                label: string;
            }[];
            api_key_url?: string;
            api_key_label?: string;
            anonymous_limit_message?: string;
            browse_root_label?: string;
            series_id_placeholder: string;
            has_user_api_key: boolean;
            /** @description It keeps the values before each revision: a dataset can be created with `backfill`. */
            keeps_vintages: boolean;
        };
        ProviderQuota: {
            slug: string;
            /**
             * @description Whose key requests carry: the one that the caller stored, that of the service, or none.
             * @enum {string}
             */
            key: "none" | "service" | "own";
            /** @description Full data needs a key. */
            api_key_required: boolean;
            /** @description Requests a second; null: no such limit. */
            per_second: number | null;
            quotas: {
                /** @enum {string} */
                span: "minute" | "hour" | "day";
                limit: number;
                /** @description Requests left: of the limit, or of the caller's share of it. */
                left: number;
                /** @description ISO 8601, UTC: when the oldest request that counts will count no longer. */
                next_at: string;
            }[];
            /** @description End of the hold that the provider requested; null: none. */
            held_until: string | null;
        };
        ProvidersSearchResult: {
            query: string;
            /** @description The corrected query that was answered, if nothing matches the original one. */
            corrected?: string;
            items: {
                /** @description Slug. */
                provider: string;
                /** @description The series id, or the code of the folder. */
                id: string;
                label: string;
                /** @enum {string} */
                kind: "series" | "folder";
                description?: string;
                /** @description Where to browse on. */
                path?: string;
                frequency?: string;
                units?: string;
                /** @description Parameters to fetch the series with, for the country that the query names. */
                params?: {
                    [key: string]: string;
                };
                /**
                 * @description Full data needs a key.
                 * @constant
                 */
                api_key_required?: true;
            }[];
            /** @description Slugs of providers whose own search was not used, refused, or did not respond in time. */
            notAsked: string[];
        };
        ProviderSearchResult: {
            query: string;
            /** @description The corrected query that was answered, if nothing matches the original one. */
            corrected?: string;
            items: {
                /** @description The series id, or the code of the folder. */
                id: string;
                label: string;
                /** @enum {string} */
                kind: "series" | "folder";
                description?: string;
                /** @description Where to browse on. */
                path?: string;
                frequency?: string;
                units?: string;
                /** @description Parameters to fetch the series with, for the country that the query names. */
                params?: {
                    [key: string]: string;
                };
                /**
                 * @description Full data needs a key.
                 * @constant
                 */
                api_key_required?: true;
            }[];
        };
        BrowseEntry: {
            label: string;
            /** @description Pass it back as `path`. */
            path: string;
            children?: components["schemas"]["BrowseEntry"][];
            /** @description With `series=true`. */
            series_id?: string;
            description?: string;
            frequency?: string;
            units?: string;
        };
        Series: {
            series_id: string;
            label: string;
            /** @description Metadata from the provider: frequency, source, notes … A value times `unitMultiplier` is in `unit`; `units` is the text of the provider. `flags` are the meanings of the flags of this answer, such as `{"p": "provisional"}`; `flagged_values` counts observations with one. */
            metadata: {
                [key: string]: string | number | boolean | null | {
                    [key: string]: string;
                };
            };
            data: {
                /** @description YYYY-MM-DD, first day of the period. */
                date: string;
                /** @description With the digits of the provider; null where the provider has none. */
                value: number | null;
                /** @description Status code of the provider, such as `p` (its meaning is in `metadata.flags`), or what it wrote in place of a number, such as `Bank holiday`. */
                flag?: string;
            }[];
            is_preview: boolean;
            /** @constant */
            api_key_required?: true;
            has_api_key?: boolean;
            api_key_hint?: string;
        };
        Panel: {
            series_id: string;
            label: string;
            /** @description Metadata from the provider: frequency, source, notes … A value times `unitMultiplier` is in `unit`; `units` is the text of the provider. `flags` are the meanings of the flags of this answer, such as `{"p": "provisional"}`; `flagged_values` counts observations with one. */
            metadata: {
                [key: string]: string | number | boolean | null | {
                    [key: string]: string;
                };
            };
            /** @description The open dimensions. A long row has the code of each by its id, and `{id}_label`. */
            dimensions: {
                id: string;
                label: string;
            }[];
            series: {
                name: string;
                codes: string[];
                labels: string[];
                observations: number;
            }[];
            /** @description Ids of the request that the provider does not know; left out if it knows all of them. */
            missing?: string[];
            /** @enum {string} */
            shape: "long" | "wide";
            data: ({
                /** @description YYYY-MM-DD, first day of the period. */
                date: string;
                /** @description By name of the series; null where it has none. */
                values: {
                    [key: string]: number | null;
                };
            } | ({
                /** @description YYYY-MM-DD, first day of the period. */
                date: string;
                /** @description With the digits of the provider; null where the provider has none. */
                value: number | null;
                flag?: string;
            } & {
                [key: string]: unknown;
            }))[];
        };
        UserKey: {
            slug: string;
            has_key: boolean;
        };
        FeedSearchResult: {
            results: {
                id: string;
                title: string;
                frequency: string;
                units: string;
            }[];
        };
        OperationsUpload: {
            /** @description Of the process. */
            process: number;
            /** @description The id that callers see, of one that was reserved. */
            shownAs: number | null;
            /** @description Of the dataset. */
            dataset: number;
            /** @description Of the dataset. */
            name: string;
            /** @description Who sent the file. */
            account: string;
            /** @enum {string} */
            status: "pending" | "completed" | "failed";
            phase: string;
            attempt: number;
            mode: string | null;
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            createdAt: string;
            /** @description Chunks that are stored. */
            inserted: number;
            /** @description Null: not received to its end. */
            chunks: number | null;
            /** @description Code of the error of a failed one. */
            error: string | null;
        };
        OperationsUploadDetails: {
            /** @description Of the process. */
            process: number;
            /** @description The id that callers see, of one that was reserved. */
            shownAs: number | null;
            /** @description Of the dataset. */
            dataset: number;
            /** @description Of the dataset. */
            name: string;
            /** @description Who sent the file. */
            account: string;
            /** @enum {string} */
            status: "pending" | "completed" | "failed";
            phase: string;
            attempt: number;
            mode: string | null;
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            createdAt: string;
            /** @description Chunks that are stored. */
            inserted: number;
            /** @description Null: not received to its end. */
            chunks: number | null;
            /** @description Code of the error of a failed one. */
            error: string | null;
            /**
             * @description Last sign of life of the API that received it.
             * @example 2026-01-31T12:00:00.000
             */
            receivedAt: string;
            /** @description When its last chunk was handed to Kafka. */
            sealedAt: string | null;
            completedAt: string | null;
            /** @description Until when a worker has it for itself. */
            leaseUntil: string | null;
            version: number | null;
            rows: number;
            rejectedRows: number;
            bytes: number;
            /** @description By which the logs name the request that brought it. */
            requestId: string;
            message: string | null;
        };
        OperationsChunk: {
            number: number;
            rows: number;
            bytes: number;
            firstLine: number;
            topic: string;
            partition: number;
            /** @description 64 bits, so a text. */
            offset: string;
            /** @description The attempt whose segment has its rows; 0: none yet. */
            attempt: number;
        };
        DeadLetter: {
            /** @description Of the dead letter. */
            id: number;
            /** @description Topic, partition and offset of the message. */
            origin: {
                topic: string;
                partition: number;
                offset: string;
            };
            /** @description Topic, partition and offset of its copy. */
            copy: {
                topic: string;
                partition: number;
                offset: string;
            };
            reason: string;
            bytes: number;
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            recordedAt: string;
            /** @enum {string} */
            state: "waiting" | "replayed" | "dropped";
        };
        DeadLetterDetails: {
            /** @description Of the dead letter. */
            id: number;
            /** @description Topic, partition and offset of the message. */
            origin: {
                topic: string;
                partition: number;
                offset: string;
            };
            /** @description Topic, partition and offset of its copy. */
            copy: {
                topic: string;
                partition: number;
                offset: string;
            };
            reason: string;
            bytes: number;
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            recordedAt: string;
            /** @enum {string} */
            state: "waiting" | "replayed" | "dropped";
            /** @description Null: removed by Kafka’s retention. */
            message: {
                key: string | null;
                headers: {
                    [key: string]: string;
                };
                /** @description Its first 256 bytes. */
                hex: string;
                /** @description The same bytes as text; dots replace those that cannot be printed. */
                text: string;
            } | null;
        };
        OperationsStores: {
            kinds: {
                kind: string;
                tables: number;
                parts: number;
                rows: number;
                bytes: number;
            }[];
            mostParts: number;
            disks: {
                disk: string;
                freeBytes: number;
                bytes: number;
            }[];
            /** @description Stores whose rows are on all shards of the cluster. */
            everywhereStores?: number;
            /** @description Servers of CLICKHOUSE_CLUSTER; absent without a cluster. */
            shards?: {
                shard: number;
                /**
                 * @description `not configured`: it has stores, and `CLICKHOUSE_CLUSTER` does not name it.
                 * @enum {string}
                 */
                state: "in use" | "away" | "not configured";
                error: string | null;
                /** @description Weight in `remote_servers`: its share of new rows. 0: the shard is only read. */
                weight: number;
                /** @description Stores with all of their rows on this shard. */
                stores: number;
                bytes: number | null;
                rows: number | null;
                parts: number | null;
                freeBytes: number | null;
            }[];
            pools: {
                table: string;
                parts: number;
                rows: number;
                bytes: number;
                mostParts: number;
            }[];
            /** @description Largest tables of one dataset each, old versions included. */
            largest: {
                table: string;
                parts: number;
                rows: number;
                bytes: number;
                mostParts: number;
                /** @description Null: its dataset was deleted. */
                datasetId: number | null;
                name: string | null;
                owner: string | null;
                versions: number;
            }[];
        };
        OperationsJob: {
            name: string;
            /** @description `installation`, the address of a process, or the id of the item that the job works on. */
            subject: string;
            /** @enum {string} */
            state: "waiting" | "running";
            /** @description Null: it has no schedule of its own. */
            nextRunAt: string | null;
            /** @description End of the last run; null: there was none. */
            lastRunAt: string | null;
            /** @description Duration of the last run in milliseconds. */
            lastMs: number | null;
            /** @description Error of the last run; null: it succeeded. */
            failure: string | null;
            /** @description Failed runs in a row. */
            failures: number;
            /** @description Address of the process that runs it now. */
            holder: string | null;
            runningSince: string | null;
            /** @description Its task. */
            summary: string;
        };
        OperationsSample: {
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            at: string;
            /** @description Empty: Kafka did not answer. */
            topics: {
                topic: string;
                messages: number;
                bytes: number | null;
                /** @description Age of the oldest chunk that waits. */
                seconds: number;
                members: number;
                /** @description Fingerprint of who has which partitions: another one means that there was a rebalance. */
                assignment: string;
            }[];
            pending: number;
            oldestPendingSeconds: number;
            deadLetters: number;
            storeBytes: number | null;
            mostParts: number | null;
            /** @description Components that did not answer. */
            down: string[];
            /** @description Uploads that completed in the minute before. */
            completed: number;
            failed: number;
            /** @description Rows of the completed ones. */
            rows: number;
            bytes: number;
        };
        AuditEvent: {
            /** @description Grows with time. */
            id: number;
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            at: string;
            actor: {
                /**
                 * @description `account`: over HTTP with a key; `command`: on the command line; `service`: by the service itself.
                 * @enum {string}
                 */
                kind: "account" | "command" | "service";
                accountId: number | null;
                /** @description As it was then; of a command: user and host. */
                name: string | null;
                keyId: number | null;
                /** @description Of the client. */
                address: string | null;
                requestId: string | null;
            };
            action: string;
            target: {
                kind: string;
                id: number | null;
                name: string | null;
            };
            details: {
                [key: string]: unknown;
            };
        };
        Operations: {
            /**
             * @description ISO 8601 in UTC, without zone offset.
             * @example 2026-01-31T12:00:00.000
             */
            at: string;
            components: {
                /** @enum {string} */
                name: "database" | "clickhouse" | "kafka";
                ok: boolean;
                ms: number;
                error: string | null;
                /**
                 * @description Since when it has been so, as the process that answers saw it.
                 * @example 2026-01-31T12:00:00.000
                 */
                since: string;
            }[];
            consuming: {
                /** @description Null: workers take chunks. */
                pausedSince: string | null;
            };
            uploads: {
                pending: {
                    /** @description `receive`, `insert`, `collect`, `replay`, `ready`, `merge` or `merged`. */
                    phase: string;
                    count: number;
                    /**
                     * @description ISO 8601 in UTC, without zone offset.
                     * @example 2026-01-31T12:00:00.000
                     */
                    oldestCreatedAt: string;
                    /** @description Seconds. */
                    oldestSeconds: number;
                }[];
                /** @description No sign of life for 10 minutes; at most 100. */
                stuck: {
                    /** @description Of the process. */
                    processId: number;
                    /** @description Of the dataset. */
                    datasetId: number;
                    phase: string;
                    attempt: number;
                    /**
                     * @description ISO 8601 in UTC, without zone offset.
                     * @example 2026-01-31T12:00:00.000
                     */
                    createdAt: string;
                    /** @description Seconds. */
                    ageSeconds: number;
                    /** @description Seconds since its last sign of life. */
                    silentSeconds: number;
                    insertedChunks: number;
                    /** @description Null: not received to its end. */
                    chunks: number | null;
                    /** @description An earlier pending upload of the same dataset. */
                    waitsFor: number | null;
                }[];
                replaying: number;
                lastDay: {
                    completed: number;
                    failed: number;
                    replayed: number;
                    failures: {
                        code: string;
                        count: number;
                    }[];
                };
            };
            /** @description Null: Kafka does not answer. */
            log: {
                lag: {
                    group: string;
                    topic: string;
                    partition: number;
                    /** @description Messages that have not been handled. */
                    lag: number;
                    /** @description Bytes of these messages; null: Kafka does not report them. */
                    bytes: number | null;
                    /** @description Age of the first of them, to an eighth of it; 0: there is none. */
                    seconds: number;
                }[];
                /** @description Consumer groups, their members, and how many partitions these have. */
                groups: {
                    group: string;
                    /** @description State in Kafka: `Stable`, `PreparingRebalance` … */
                    state: string;
                    members: number;
                    assigned: number;
                    assignments: {
                        member: string;
                        host: string;
                        partitions: number[];
                    }[];
                }[];
                /** @description Dead letters that are not resolved. */
                deadLetters: number;
            } | null;
            refreshes: {
                datasets: number;
                scheduled: number;
                due: number;
                running: number;
                failing: number;
                /** @description At most 100, those that fail longest first. */
                failures: {
                    /** @description Of the dataset. */
                    datasetId: number;
                    provider: string;
                    error: string;
                    failures: number;
                    /**
                     * @description ISO 8601 in UTC, without zone offset.
                     * @example 2026-01-31T12:00:00.000
                     */
                    since: string;
                    lastRunAt: string | null;
                    nextRunAt: string | null;
                }[];
            };
            providers: {
                provider: string;
                /**
                 * @description State in the process that answers.
                 * @enum {string}
                 */
                circuit: "closed" | "open" | "testing";
                openUntil: string | null;
                failures: number;
                /** @description End of the hold that the upstream requested. */
                heldUntil: string | null;
                /** @description Requests that wait in the process that answers. */
                waiting: number;
                /** @description Requests of the process that answers since it started, by outcome. */
                calls: {
                    outcome: string;
                    count: number;
                }[];
                /** @description Holds that the upstream requested; `own`: for the key of a user. */
                holds: {
                    /** @enum {string} */
                    key: "none" | "service" | "own";
                    /**
                     * @description ISO 8601 in UTC, without zone offset.
                     * @example 2026-01-31T12:00:00.000
                     */
                    since: string;
                    /**
                     * @description ISO 8601 in UTC, without zone offset.
                     * @example 2026-01-31T12:00:00.000
                     */
                    until: string;
                    /** @enum {string} */
                    state: "held" | "over" | "trying";
                }[];
                /** @description Shared ones; those of callers’ own keys are not shown. */
                quotas: {
                    /** @enum {string} */
                    key: "none" | "service";
                    /** @enum {string} */
                    span: "minute" | "hour" | "day";
                    limit: number;
                    used: number;
                    left: number;
                }[];
                /** @description Search index; null where the provider searches itself. */
                index: {
                    items: number;
                    filledAt: string | null;
                    failures: number;
                    dueAt: string | null;
                    /** @description Parts of the last listing that could not be fetched. */
                    failedParts: number;
                    lastError: string | null;
                } | null;
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "ada",
                     *       "plan": {
                     *         "name": "free",
                     *         "quotas": {
                     *           "privateRepositories": {
                     *             "limit": 0,
                     *             "used": 0
                     *           },
                     *           "storedBytes": {
                     *             "limit": 1073741824,
                     *             "used": 2048,
                     *             "datasets": [
                     *               {
                     *                 "id": 2,
                     *                 "name": "Prices",
                     *                 "bytes": 2048,
                     *                 "currentBytes": 1024,
                     *                 "versions": 3
                     *               }
                     *             ]
                     *           },
                     *           "exportsPerDay": {
                     *             "limit": 200,
                     *             "used": 3
                     *           },
                     *           "exportBytesPerDay": {
                     *             "limit": 2147483648,
                     *             "used": 6144
                     *           },
                     *           "datasetRows": {
                     *             "limit": 5000000
                     *           },
                     *           "columns": {
                     *             "limit": 1000
                     *           },
                     *           "uploadBytes": {
                     *             "limit": 268435456
                     *           }
                     *         },
                     *         "paidProviders": false,
                     *         "privateHome": true,
                     *         "downloads": "all"
                     *       },
                     *       "workspace": "personal",
                     *       "isOperator": false,
                     *       "createdAt": "2026-01-31T12:00:00.000"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "workspace": "personal"
                 *     }
                 */
                "application/json": {
                    /** @description Name. Accounts and teams share one namespace, in which names that look alike are the same. */
                    name?: string;
                    /** @description `personal` or the name of one of your teams. */
                    workspace?: string;
                };
            };
        };
        responses: {
            /** @description The account. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "ada",
                     *       "plan": {
                     *         "name": "free",
                     *         "quotas": {
                     *           "privateRepositories": {
                     *             "limit": 0,
                     *             "used": 0
                     *           },
                     *           "storedBytes": {
                     *             "limit": 1073741824,
                     *             "used": 2048,
                     *             "datasets": [
                     *               {
                     *                 "id": 2,
                     *                 "name": "Prices",
                     *                 "bytes": 2048,
                     *                 "currentBytes": 1024,
                     *                 "versions": 3
                     *               }
                     *             ]
                     *           },
                     *           "exportsPerDay": {
                     *             "limit": 200,
                     *             "used": 3
                     *           },
                     *           "exportBytesPerDay": {
                     *             "limit": 2147483648,
                     *             "used": 6144
                     *           },
                     *           "datasetRows": {
                     *             "limit": 5000000
                     *           },
                     *           "columns": {
                     *             "limit": 1000
                     *           },
                     *           "uploadBytes": {
                     *             "limit": 268435456
                     *           }
                     *         },
                     *         "paidProviders": false,
                     *         "privateHome": true,
                     *         "downloads": "all"
                     *       },
                     *       "workspace": "personal",
                     *       "isOperator": false,
                     *       "createdAt": "2026-01-31T12:00:00.000"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteAccount: {
        parameters: {
            query?: {
                /** @description The name of the account, to confirm: the deletion cannot be undone. */
                confirm?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted; the answer shows that nothing is left. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "remaining": [
                     *         {
                     *           "where": "ClickHouse",
                     *           "what": "rows in pools",
                     *           "left": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DeletedAccount"];
                };
            };
            /** @description Deleted; rows and files follow, since their storage did not answer. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "remaining": null
                     *     }
                     */
                    "application/json": components["schemas"]["DeletedAccount"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Keys that were not revoked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 3,
                     *         "name": "nightly job",
                     *         "prefix": "tab_A1b2C3d4",
                     *         "readOnly": true,
                     *         "repositoryIds": null,
                     *         "createdAt": "2026-01-31T12:00:00.000",
                     *         "expiresAt": null,
                     *         "lastUsedAt": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "nightly job",
                 *       "readOnly": true
                 *     }
                 */
                "application/json": {
                    /** @description What it is for. Kept exactly as given; at most 255 characters. */
                    name: string;
                    readOnly?: boolean;
                    repositoryIds?: number[] | null;
                    expiresAt?: string | null;
                };
            };
        };
        responses: {
            /** @description The new key. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 3,
                     *       "name": "nightly job",
                     *       "prefix": "tab_A1b2C3d4",
                     *       "readOnly": true,
                     *       "repositoryIds": null,
                     *       "createdAt": "2026-01-31T12:00:00.000",
                     *       "expiresAt": null,
                     *       "lastUsedAt": null,
                     *       "key": "tab_A1b2C3d4…"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getKeyUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the key.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Days on which it was used. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "day": "2026-01-31",
                     *         "requests": 1440
                     *       }
                     *     ]
                     */
                    "application/json": {
                        day: string;
                        /** @description Requests with this key. */
                        requests: number;
                    }[];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the key.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "account": {
                     *         "id": 1,
                     *         "name": "ada",
                     *         "isOperator": false,
                     *         "readOnly": false,
                     *         "limited": false
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed in. */
            200: {
                headers: {
                    /** @description The session. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "account": {
                     *         "id": 1,
                     *         "name": "ada",
                     *         "isOperator": false,
                     *         "readOnly": false,
                     *         "limited": false
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRepositories: {
        parameters: {
            query?: {
                /** @description Words that all occur in name or description. */
                q?: string;
                privacy?: "Public" | "Private";
                /** @description Name of a team. */
                team?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Repositories by id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 7,
                     *         "name": "Energy",
                     *         "description": null,
                     *         "privacy": "Private",
                     *         "team": null,
                     *         "permission": "Owner",
                     *         "isHome": false,
                     *         "createdAt": "2026-01-31T12:00:00.000",
                     *         "updatedAt": "2026-01-31T12:00:00.000"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Repository"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createRepository: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Energy",
                 *       "privacy": "Private"
                 *     }
                 */
                "application/json": {
                    /** @description Display name. Kept exactly as given; at most 255 characters. */
                    name: string;
                    /** @enum {string} */
                    privacy: "Public" | "Private";
                    /** @description Free text. */
                    description?: string | null;
                    team?: string | null;
                };
            };
        };
        responses: {
            /** @description The new repository. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Energy",
                     *       "description": null,
                     *       "privacy": "Private",
                     *       "team": null,
                     *       "permission": "Owner",
                     *       "isHome": false,
                     *       "createdAt": "2026-01-31T12:00:00.000",
                     *       "updatedAt": "2026-01-31T12:00:00.000"
                     *     }
                     */
                    "application/json": components["schemas"]["Repository"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getHomeRepository: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Home. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Energy",
                     *       "description": null,
                     *       "privacy": "Private",
                     *       "team": null,
                     *       "permission": "Owner",
                     *       "isHome": false,
                     *       "createdAt": "2026-01-31T12:00:00.000",
                     *       "updatedAt": "2026-01-31T12:00:00.000"
                     *     }
                     */
                    "application/json": components["schemas"]["Repository"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getDefaultRepository: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The default repository. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Energy",
                     *       "description": null,
                     *       "privacy": "Private",
                     *       "team": null,
                     *       "permission": "Owner",
                     *       "isHome": false,
                     *       "createdAt": "2026-01-31T12:00:00.000",
                     *       "updatedAt": "2026-01-31T12:00:00.000"
                     *     }
                     */
                    "application/json": components["schemas"]["Repository"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRepository: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the repository.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The repository. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Energy",
                     *       "description": null,
                     *       "privacy": "Private",
                     *       "team": null,
                     *       "permission": "Owner",
                     *       "isHome": false,
                     *       "createdAt": "2026-01-31T12:00:00.000",
                     *       "updatedAt": "2026-01-31T12:00:00.000"
                     *     }
                     */
                    "application/json": components["schemas"]["Repository"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateRepository: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the repository.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Energy prices",
                 *       "privacy": "Private",
                 *       "description": "Day-ahead prices"
                 *     }
                 */
                "application/json": {
                    /** @description Display name. Kept exactly as given; at most 255 characters. */
                    name: string;
                    /** @enum {string} */
                    privacy: "Public" | "Private";
                    /** @description Free text. */
                    description?: string | null;
                    /** @description Must be the present team. */
                    team?: string | null;
                };
            };
        };
        responses: {
            /** @description The updated repository. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Energy",
                     *       "description": null,
                     *       "privacy": "Private",
                     *       "team": null,
                     *       "permission": "Owner",
                     *       "isHome": false,
                     *       "createdAt": "2026-01-31T12:00:00.000",
                     *       "updatedAt": "2026-01-31T12:00:00.000"
                     *     }
                     */
                    "application/json": components["schemas"]["Repository"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteRepository: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the repository.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDatasets: {
        parameters: {
            query?: {
                /**
                 * @description Only datasets of this repository.
                 * @example 12
                 */
                repositoryId?: number;
                /** @description Words that all occur in name, description or source. */
                q?: string;
                /**
                 * @description Only datasets changed at or after this time. A day (its start) or a time; UTC unless it has a zone.
                 * @example 2026-01-31T00:00:00
                 */
                updatedSince?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Datasets by id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 12,
                     *         "name": "Prices",
                     *         "repositoryId": 7,
                     *         "description": null,
                     *         "sourceName": "Statistics Office",
                     *         "sourceUrl": "https://example.org/prices",
                     *         "permission": "Admin",
                     *         "frequency": null,
                     *         "minDate": null,
                     *         "maxDate": null,
                     *         "privacy": "Private",
                     *         "rowCount": 0,
                     *         "byteSize": 0,
                     *         "currentVersionId": null,
                     *         "createdAt": "2026-01-31T12:00:00.000",
                     *         "updatedAt": "2026-01-31T12:00:00.000"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["DatasetSummary"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createDataset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Prices",
                 *       "repositoryId": 7,
                 *       "sourceName": "Statistics Office",
                 *       "sourceUrl": "https://example.org/prices"
                 *     }
                 */
                "application/json": {
                    /** @description Name, unique in the repository. Kept exactly as given; at most 255 characters. */
                    name: string;
                    /** @description Free text. */
                    description?: string | null;
                    /** @description Address of the original source: any URL, a bare host or empty; at most 2048 characters. */
                    sourceUrl?: string | null;
                    /** @description Organization or publication that produced the data. */
                    sourceName?: string | null;
                    /**
                     * @description Repository of the new dataset.
                     * @example 7
                     */
                    repositoryId: number;
                };
            };
        };
        responses: {
            /** @description The new dataset. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 12,
                     *       "name": "Prices",
                     *       "repositoryId": 7,
                     *       "description": null,
                     *       "sourceName": "Statistics Office",
                     *       "sourceUrl": "https://example.org/prices",
                     *       "permission": "Admin",
                     *       "frequency": null,
                     *       "minDate": null,
                     *       "maxDate": null,
                     *       "privacy": "Private",
                     *       "rowCount": 0,
                     *       "byteSize": 0,
                     *       "currentVersionId": null,
                     *       "createdAt": "2026-01-31T12:00:00.000",
                     *       "updatedAt": "2026-01-31T12:00:00.000"
                     *     }
                     */
                    "application/json": components["schemas"]["DatasetSummary"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getDataset: {
        parameters: {
            query?: {
                /**
                 * @description With rows, dates and columns of the version that was current then. A day (its end) or a time; UTC unless it has a zone.
                 * @example 2099-12-31
                 */
                asOf?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the dataset.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The dataset. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 12,
                     *       "name": "Prices",
                     *       "repositoryId": 7,
                     *       "description": null,
                     *       "sourceName": "Statistics Office",
                     *       "sourceUrl": "https://example.org/prices",
                     *       "permission": "Admin",
                     *       "frequency": "Monthly",
                     *       "minDate": "2020-01-01",
                     *       "maxDate": "2025-12-01",
                     *       "privacy": "Private",
                     *       "rowCount": 72,
                     *       "byteSize": 2048,
                     *       "currentVersionId": "31",
                     *       "createdAt": "2026-01-31T12:00:00.000",
                     *       "updatedAt": "2026-01-31T12:00:00.000",
                     *       "columns": [
                     *         {
                     *           "id": 40,
                     *           "name": "Country",
                     *           "dataType": "String",
                     *           "isEntity": true,
                     *           "description": null
                     *         }
                     *       ],
                     *       "retention": {
                     *         "versions": null,
                     *         "days": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Dataset"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateDataset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the dataset.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Consumer prices",
                 *       "sourceName": "Statistics Office"
                 *     }
                 */
                "application/json": {
                    /** @description Name, unique in the repository. Kept exactly as given; at most 255 characters. */
                    name: string;
                    /** @description Free text. */
                    description?: string | null;
                    /** @description Address of the original source: any URL, a bare host or empty; at most 2048 characters. */
                    sourceUrl?: string | null;
                    /** @description Organization or publication that produced the data. */
                    sourceName?: string | null;
                };
            };
        };
        responses: {
            /** @description The updated dataset. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 12,
                     *       "name": "Prices",
                     *       "repositoryId": 7,
                     *       "description": null,
                     *       "sourceName": "Statistics Office",
                     *       "sourceUrl": "https://example.org/prices",
                     *       "permission": "Admin",
                     *       "frequency": "Monthly",
                     *       "minDate": "2020-01-01",
                     *       "maxDate": "2025-12-01",
                     *       "privacy": "Private",
                     *       "rowCount": 72,
                     *       "byteSize": 2048,
                     *       "currentVersionId": "31",
                     *       "createdAt": "2026-01-31T12:00:00.000",
                     *       "updatedAt": "2026-01-31T12:00:00.000",
                     *       "columns": [
                     *         {
                     *           "id": 40,
                     *           "name": "Country",
                     *           "dataType": "String",
                     *           "isEntity": true,
                     *           "description": null
                     *         }
                     *       ],
                     *       "retention": {
                     *         "versions": null,
                     *         "days": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Dataset"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteDataset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the dataset.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cloneDataset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the dataset.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repositoryId": 7,
                 *       "name": "Prices, my copy"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Repository of the clone.
                     * @example 7
                     */
                    repositoryId: number;
                    /** @description Name of the clone. Kept exactly as given; at most 255 characters. */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description The clone. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 12,
                     *       "name": "Prices",
                     *       "repositoryId": 7,
                     *       "description": null,
                     *       "sourceName": "Statistics Office",
                     *       "sourceUrl": "https://example.org/prices",
                     *       "permission": "Admin",
                     *       "frequency": "Monthly",
                     *       "minDate": "2020-01-01",
                     *       "maxDate": "2025-12-01",
                     *       "privacy": "Private",
                     *       "rowCount": 72,
                     *       "byteSize": 2048,
                     *       "currentVersionId": "31",
                     *       "createdAt": "2026-01-31T12:00:00.000",
                     *       "updatedAt": "2026-01-31T12:00:00.000",
                     *       "columns": [
                     *         {
                     *           "id": 40,
                     *           "name": "Country",
                     *           "dataType": "String",
                     *           "isEntity": true,
                     *           "description": null
                     *         }
                     *       ],
                     *       "retention": {
                     *         "versions": null,
                     *         "days": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Dataset"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    searchCatalog: {
        parameters: {
            query?: {
                /** @description Words. */
                q?: string;
                /** @description Most of each kind. Default 20. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Datasets whose name matches come first, then the most recently changed ones. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "datasets": [],
                     *       "columns": [],
                     *       "repositories": []
                     *     }
                     */
                    "application/json": components["schemas"]["CatalogSearchResult"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listColumns: {
        parameters: {
            query?: {
                /**
                 * @description Of the version that was current then, as they were. A day (its end) or a time; UTC unless it has a zone.
                 * @example 2099-12-31
                 */
                asOf?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the dataset.
                 * @example 12
                 */
                dataset_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Columns in their order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 40,
                     *         "name": "Country",
                     *         "dataType": "String",
                     *         "isEntity": true,
                     *         "description": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Column"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotFoundMessage"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRepositoryPermissions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the repository.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accounts and teams with their levels. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "name": "ada",
                     *         "type": "account",
                     *         "level": "Read",
                     *         "origin": "grant"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Permission"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setRepositoryPermission: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the repository.
                 * @example 12
                 */
                id: number;
                /** @description Name of an account or team. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "level": "Read"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    level: "Owner" | "Admin" | "Write" | "Clone" | "Read";
                };
            };
        };
        responses: {
            /** @description The grants now in force. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "ada",
                     *       "type": "account",
                     *       "level": "Read",
                     *       "origin": "grant"
                     *     }
                     */
                    "application/json": components["schemas"]["Permission"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeRepositoryPermission: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the repository.
                 * @example 12
                 */
                id: number;
                /** @description Name of an account or team. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDatasetPermissions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the dataset.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accounts and teams with their levels. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "name": "ada",
                     *         "type": "account",
                     *         "level": "Read",
                     *         "origin": "grant"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Permission"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setDatasetPermission: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the dataset.
                 * @example 12
                 */
                id: number;
                /** @description Name of an account or team. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "level": "Read"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    level: "Clone" | "Read";
                };
            };
        };
        responses: {
            /** @description The grants now in force. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "ada",
                     *       "type": "account",
                     *       "level": "Read",
                     *       "origin": "grant"
                     *     }
                     */
                    "application/json": components["schemas"]["Permission"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeDatasetPermission: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the dataset.
                 * @example 12
                 */
                id: number;
                /** @description Name of an account or team. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTeams: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Teams by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "name": "Analysts",
                     *         "role": "admin",
                     *         "createdAt": "2026-01-31T12:00:00.000",
                     *         "members": [
                     *           {
                     *             "account": "ada",
                     *             "role": "admin"
                     *           }
                     *         ],
                     *         "invitations": [
                     *           {
                     *             "account": "bob",
                     *             "role": "member"
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Team"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createTeam: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Analysts"
                 *     }
                 */
                "application/json": {
                    /** @description Name. Accounts and teams share one namespace, in which names that look alike are the same. */
                    name: string;
                };
            };
        };
        responses: {
            /** @description The new team. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Analysts",
                     *       "role": "admin",
                     *       "createdAt": "2026-01-31T12:00:00.000",
                     *       "members": [
                     *         {
                     *           "account": "ada",
                     *           "role": "admin"
                     *         }
                     *       ],
                     *       "invitations": [
                     *         {
                     *           "account": "bob",
                     *           "role": "member"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the team. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The team. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Analysts",
                     *       "role": "admin",
                     *       "createdAt": "2026-01-31T12:00:00.000",
                     *       "members": [
                     *         {
                     *           "account": "ada",
                     *           "role": "admin"
                     *         }
                     *       ],
                     *       "invitations": [
                     *         {
                     *           "account": "bob",
                     *           "role": "member"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    renameTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the team. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Analysts"
                 *     }
                 */
                "application/json": {
                    /** @description Name. Accounts and teams share one namespace, in which names that look alike are the same. */
                    name: string;
                };
            };
        };
        responses: {
            /** @description The team. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Analysts",
                     *       "role": "admin",
                     *       "createdAt": "2026-01-31T12:00:00.000",
                     *       "members": [
                     *         {
                     *           "account": "ada",
                     *           "role": "admin"
                     *         }
                     *       ],
                     *       "invitations": [
                     *         {
                     *           "account": "bob",
                     *           "role": "member"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the team. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setTeamMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the team. */
                name: string;
                /** @description Name of the account. */
                account: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "member"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    role: "admin" | "member";
                };
            };
        };
        responses: {
            /** @description The team: the member has this role. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Analysts",
                     *       "role": "admin",
                     *       "createdAt": "2026-01-31T12:00:00.000",
                     *       "members": [
                     *         {
                     *           "account": "ada",
                     *           "role": "admin"
                     *         }
                     *       ],
                     *       "invitations": [
                     *         {
                     *           "account": "bob",
                     *           "role": "member"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description The team: the account is invited. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Analysts",
                     *       "role": "admin",
                     *       "createdAt": "2026-01-31T12:00:00.000",
                     *       "members": [
                     *         {
                     *           "account": "ada",
                     *           "role": "admin"
                     *         }
                     *       ],
                     *       "invitations": [
                     *         {
                     *           "account": "bob",
                     *           "role": "member"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeTeamMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the team. */
                name: string;
                /** @description Name of the account. */
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Invitations that wait for an answer, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "team": "Analysts",
                     *         "role": "member",
                     *         "invitedBy": "ada",
                     *         "createdAt": "2026-01-31T12:00:00.000"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Invitation"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the team. */
                team: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The team; the caller is now a member. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Analysts",
                     *       "role": "admin",
                     *       "createdAt": "2026-01-31T12:00:00.000",
                     *       "members": [
                     *         {
                     *           "account": "ada",
                     *           "role": "admin"
                     *         }
                     *       ],
                     *       "invitations": [
                     *         {
                     *           "account": "bob",
                     *           "role": "member"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    declineInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the team. */
                team: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Declined. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    offerRepository: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the repository.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "account": "bob"
                 *     }
                 */
                "application/json": {
                    /** @description Name of the account. */
                    account: string;
                };
            };
        };
        responses: {
            /** @description The offer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "repositoryId": 7,
                     *       "repository": "Energy",
                     *       "from": "ada",
                     *       "to": "bob",
                     *       "createdAt": "2026-01-31T12:00:00.000"
                     *     }
                     */
                    "application/json": components["schemas"]["RepositoryTransfer"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    withdrawRepositoryOffer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the repository.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Withdrawn. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTransfers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Offers that wait for an answer, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "repositoryId": 7,
                     *         "repository": "Energy",
                     *         "from": "ada",
                     *         "to": "bob",
                     *         "createdAt": "2026-01-31T12:00:00.000"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["RepositoryTransfer"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    acceptTransfer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the repository.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The repository, which is now yours. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Energy",
                     *       "description": null,
                     *       "privacy": "Private",
                     *       "team": null,
                     *       "permission": "Owner",
                     *       "isHome": false,
                     *       "createdAt": "2026-01-31T12:00:00.000",
                     *       "updatedAt": "2026-01-31T12:00:00.000"
                     *     }
                     */
                    "application/json": components["schemas"]["Repository"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    declineTransfer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the repository.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Declined. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    downloadRows: {
        parameters: {
            query?: {
                /**
                 * @description Id of a version; without it the current data.
                 * @example 1
                 */
                versionId?: string;
                /**
                 * @description The version that was current then, under the names it had: a day (its end) or a time; UTC unless it has a zone. Not with `versionId`.
                 * @example 2099-12-31
                 */
                asOf?: string;
                /**
                 * @description Steps of OData Data Aggregation: `filter(…)`, `compute(…)`, `groupby((…),aggregate(…))`, `aggregate(…)`, `orderby(…)`, `top(n)`, `skip(n)`, joined by `/`. The other options work on their result.
                 * @example groupby((Country),aggregate(GDP with sum as GDP))
                 */
                $apply?: string;
                /**
                 * @description OData condition, such as `Country eq 'France' and Date ge 2020-01-01`.
                 * @example Country eq 'France'
                 */
                $filter?: string;
                /**
                 * @description Words or `"phrases"` that a text column must contain, whatever the case of letters; joined by `AND` or nothing, `OR`, `NOT` and parentheses.
                 * @example France OR Spain
                 */
                $search?: string;
                /**
                 * @description Rows of the last N distinct dates; `Row-Count` then says how many rows the dataset has.
                 * @example 2
                 */
                $last?: number;
                /**
                 * @description Leave out rows whose value columns are all null.
                 * @example true
                 */
                dropNA?: boolean;
                /**
                 * @description Columns with `asc` or `desc`, separated by commas. Nulls last, ties in upload order.
                 * @example Date desc
                 */
                $orderby?: string;
                /**
                 * @description Each combination of the selected columns once; needs `$select`, prepends nothing.
                 * @example true
                 */
                $distinct?: boolean;
                /**
                 * @description Leave out the first N rows.
                 * @example 2
                 */
                $skip?: number;
                /**
                 * @description First N rows; the header `Row-Count` then says how many match `$filter`.
                 * @example 2
                 */
                $top?: number;
                /**
                 * @description Rows of one page. While more follow, the header `Link` holds the address of the next page, with `rel="next"`.
                 * @example 2
                 */
                $pagesize?: number;
                /**
                 * @description Where a page begins: taken from the address of the next page, together with the options of the first. It names the version.
                 * @example WzEsMV0.c2lnbmF0dXJl
                 */
                $skiptoken?: string;
                /**
                 * @description Return only the number of rows.
                 * @example true
                 */
                $count?: boolean;
                /**
                 * @description Columns by name or id, separated by commas; `"…"` or `[…]` around a name that holds commas. Entity columns are prepended.
                 * @example GDP
                 */
                $select?: string;
                /**
                 * @description `selected`: of the entity columns only those that `$select` names are in the answer.
                 * @example selected
                 */
                entities?: "all" | "selected";
                /**
                 * @description One column with the values of all entity columns.
                 * @example true
                 */
                combineEntities?: boolean;
                /**
                 * @description Names in the header as `name [id]`.
                 * @example true
                 */
                includeIds?: boolean;
                /**
                 * @description Dates become column headers, columns become rows.
                 * @example true
                 */
                transpose?: boolean;
                /**
                 * @description Format of the rows. Without it csv, unless `Accept` names other types and no wildcard.
                 * @example json
                 */
                $format?: "csv" | "json" | "xlsx" | "tsv" | "parquet" | "arrow";
                /**
                 * @description JSON numbers as numbers or as strings.
                 * @example string
                 */
                $decimals?: "number" | "string";
            };
            header?: {
                /** @description `ETag` of an earlier response; 304 if it would be the same. */
                "If-None-Match"?: string;
                /** @description `ETag` of an earlier response; 412 if it would be another one. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rows, or their number with `$count`. */
            200: {
                headers: {
                    /** @description With `$top`: rows that match `$filter`; with `$last` alone: rows of the dataset. */
                    "Row-Count"?: string;
                    /** @description With `$pagesize`, if more rows follow: the address of the next page, `rel="next"`. It does not contain a key. */
                    Link?: string;
                    /** @description Equal for equal rows in the same format. Strong; for Parquet and Arrow, whose bytes may differ, weak. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/json": {
                        [key: string]: string | number | null;
                    }[];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/tab-separated-values": string;
                    "application/vnd.apache.parquet": string;
                    "application/vnd.apache.arrow.stream": string;
                    "text/plain": string;
                };
            };
            /** @description A redirect to the whole file, which is valid for a short time. */
            302: {
                headers: {
                    /** @description The link; it needs no key. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The client already has this response. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    uploadFile: {
        parameters: {
            query?: {
                /**
                 * @description A reserved process of the same account that the upload fills (`POST /datasets/{id}/processes`).
                 * @example 12
                 */
                processId?: number;
                /** @description `replace` (default), `append`, `upsert`, `delete` (removes the rows with the keys in the file) or `sync` (upsert, and removes rows whose keys are not in the file). */
                mode?: "replace" | "append" | "upsert" | "delete" | "sync";
                /** @description JSON `{"columns": [{"name", "id"?, "dataType"?, "isEntity"?, "dateFormat"?, "description"?}], "unlisted": "infer" | "ignore" | "reject"}`. */
                manifest?: string;
                /**
                 * @description Modes upsert, delete and sync: names of the columns that identify a row, separated by commas or as a JSON array. Default: the entity columns.
                 * @example Country,Year
                 */
                key?: string;
                /** @description Columns keep their types if all values fit. If a value or a type of the manifest does not: `fail` is 409. `replace` (mode replace): the column gets the new type. `widen` (mode append): it gets a type for old and new values. Default: `fail`, and in mode replace `replace` for values and `fail` for types of a manifest. */
                onTypeConflict?: "fail" | "replace" | "widen";
                /** @description Modes upsert, delete and sync, for a key of several rows in the file or the dataset: `fail` (default, 409 `key_not_unique`), `last` or `first` (row of the file, which applies to all rows of the dataset with the key). */
                onDuplicateKey?: "fail" | "last" | "first";
                /** @description Modes append, upsert and sync, for a column that the file does not have: `null` (default) or `fail`. */
                onMissingColumn?: "null" | "fail";
                /** @description For a column that the dataset does not have: `add` (default), `fail` or `ignore`. */
                onNewColumn?: "add" | "fail" | "ignore";
                /** @description `fail` (default) or `quarantine`: bad rows are rejected, with their reason, and the others stored. */
                onBadRow?: "fail" | "quarantine";
                /**
                 * @description With `onBadRow=quarantine`: most bad rows, a count or a share such as `5%`.
                 * @example 5%
                 */
                maxBadRows?: string;
                /** @description `true`: everything is checked and counted, nothing is published; the process shows the difference. Default `false`. */
                dryRun?: boolean;
                /** @description `true` (default), or `false`: the answer waits for the end of the process. */
                async?: boolean;
                /** @description With `async=false`: seconds to wait, at most 55. Default 30. */
                wait?: number;
                /**
                 * @description The delimiter: one ASCII character, or `tab`. Default: recognised from the header.
                 * @example ;
                 */
                delimiter?: string;
                /**
                 * @description The quote: `"` (default) or `none`. Also accepted as `quote`.
                 * @example none
                 */
                quoting?: string;
                /** @description `utf-8` (default), `windows-1252`, `utf-16le` or `utf-16be` (with byte order mark). */
                encoding?: "utf-8" | "windows-1252" | "utf-16le" | "utf-16be";
                /** @description The sign before a fraction: `.` (default) or `,`. */
                decimal?: "." | ",";
                /**
                 * @description Texts that are null in every column: a JSON array of strings, or texts separated by commas.
                 * @example n/a,-
                 */
                nullValues?: string;
            };
            header?: {
                /** @description Id of the version in quotes that must be the current one, or `*`. */
                "If-Match"?: string;
                /** @description MD5 of the bytes of the file part, in base64. */
                "Content-MD5"?: string;
                /** @description Checksum of the bytes of the file part: `md5=…`, `sha-256=…` or `sha-512=…`. */
                Digest?: string;
                /** @description The same as RFC 9530 writes it: `sha-256=:…:`. */
                "Repr-Digest"?: string;
            };
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * @description `replace` (default), `append`, `upsert`, `delete` (removes the rows with the keys in the file) or `sync` (upsert, and removes rows whose keys are not in the file).
                     * @enum {string}
                     */
                    mode?: "replace" | "append" | "upsert" | "delete" | "sync";
                    /** @description JSON `{"columns": [{"name", "id"?, "dataType"?, "isEntity"?, "dateFormat"?, "description"?}], "unlisted": "infer" | "ignore" | "reject"}`. */
                    manifest?: string;
                    /**
                     * @description Modes upsert, delete and sync: names of the columns that identify a row, separated by commas or as a JSON array. Default: the entity columns.
                     * @example Country,Year
                     */
                    key?: string;
                    /**
                     * @description Columns keep their types if all values fit. If a value or a type of the manifest does not: `fail` is 409. `replace` (mode replace): the column gets the new type. `widen` (mode append): it gets a type for old and new values. Default: `fail`, and in mode replace `replace` for values and `fail` for types of a manifest.
                     * @enum {string}
                     */
                    onTypeConflict?: "fail" | "replace" | "widen";
                    /**
                     * @description Modes upsert, delete and sync, for a key of several rows in the file or the dataset: `fail` (default, 409 `key_not_unique`), `last` or `first` (row of the file, which applies to all rows of the dataset with the key).
                     * @enum {string}
                     */
                    onDuplicateKey?: "fail" | "last" | "first";
                    /**
                     * @description Modes append, upsert and sync, for a column that the file does not have: `null` (default) or `fail`.
                     * @enum {string}
                     */
                    onMissingColumn?: "null" | "fail";
                    /**
                     * @description For a column that the dataset does not have: `add` (default), `fail` or `ignore`.
                     * @enum {string}
                     */
                    onNewColumn?: "add" | "fail" | "ignore";
                    /**
                     * @description `fail` (default) or `quarantine`: bad rows are rejected, with their reason, and the others stored.
                     * @enum {string}
                     */
                    onBadRow?: "fail" | "quarantine";
                    /**
                     * @description With `onBadRow=quarantine`: most bad rows, a count or a share such as `5%`.
                     * @example 5%
                     */
                    maxBadRows?: string;
                    /** @description `true`: everything is checked and counted, nothing is published; the process shows the difference. Default `false`. */
                    dryRun?: boolean;
                    /** @description `true` (default), or `false`: the answer waits for the end of the process. */
                    async?: boolean;
                    /** @description With `async=false`: seconds to wait, at most 55. Default 30. */
                    wait?: number;
                    /**
                     * @description The delimiter: one ASCII character, or `tab`. Default: recognised from the header.
                     * @example ;
                     */
                    delimiter?: string;
                    /**
                     * @description The quote: `"` (default) or `none`. Also accepted as `quote`.
                     * @example none
                     */
                    quoting?: string;
                    /**
                     * @description `utf-8` (default), `windows-1252`, `utf-16le` or `utf-16be` (with byte order mark).
                     * @enum {string}
                     */
                    encoding?: "utf-8" | "windows-1252" | "utf-16le" | "utf-16be";
                    /**
                     * @description The sign before a fraction: `.` (default) or `,`.
                     * @enum {string}
                     */
                    decimal?: "." | ",";
                    /**
                     * @description Texts that are null in every column: a JSON array of strings, or texts separated by commas.
                     * @example n/a,-
                     */
                    nullValues?: string;
                    /** @description The file: CSV, or gzip of it. */
                    data: string | unknown;
                };
            };
        };
        responses: {
            /** @description Received; the process shows when the data is visible. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Process"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The contents of the file cannot be accepted. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listProcesses: {
        parameters: {
            query?: {
                /** @description Most processes in the answer; 100 unless given. */
                $top?: number;
                /**
                 * @description Only processes with lower ids: the last id of the page before.
                 * @example 12
                 */
                before?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Processes, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Process"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    reserveProcess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The reserved process. */
            201: {
                headers: {
                    /** @description Address of the process. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Process"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests: a limit of an upstream provider, which the message names, or of this caller. */
            429: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getProcess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
                /**
                 * @description Process
                 * @example 12
                 */
                processId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process in its present state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Process"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelProcess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
                /**
                 * @description Process
                 * @example 12
                 */
                processId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process, failed as `cancelled`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Process"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    followProcess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
                /**
                 * @description Process
                 * @example 12
                 */
                processId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    downloadRejects: {
        parameters: {
            query?: {
                /** @description Default csv. */
                $format?: "csv" | "json";
            };
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
                /**
                 * @description Process
                 * @example 12
                 */
                processId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The records. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/json": {
                        [key: string]: string | number | null;
                    }[];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getDryRunDiff: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
                /**
                 * @description Process
                 * @example 12
                 */
                processId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What would change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DryRunDiff"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteColumn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the dataset.
                 * @example 12
                 */
                dataset_id: number;
                /**
                 * @description Id of the column.
                 * @example 12
                 */
                column_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted; the new version is the current one. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateColumn: {
        parameters: {
            query?: {
                /** @description With `merge`: seconds to wait for the new version. Default 30. */
                wait?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the dataset.
                 * @example 12
                 */
                dataset_id: number;
                /**
                 * @description Id of the column.
                 * @example 12
                 */
                column_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Country code"
                 *     }
                 */
                "application/json": {
                    /** @description New name, at most 255 characters and without control characters; with `merge` the name of any column. */
                    name?: string;
                    isEntity?: boolean;
                    /** @description Free text. */
                    description?: string | null;
                    /** @description `true`: merges the column into the column called `name`, in a new version. No other member can be changed in the same request. */
                    merge?: boolean;
                    /**
                     * @description With `merge`, for columns whose types only text can represent: `fail` (default) is 409 `type_conflict`, `widen` makes the column String.
                     * @enum {string}
                     */
                    onTypeConflict?: "fail" | "widen";
                };
            };
        };
        responses: {
            /** @description The column; for a merge, the one that remains. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 40,
                     *       "name": "Country code",
                     *       "dataType": "String",
                     *       "isEntity": true,
                     *       "description": null
                     *     }
                     */
                    "application/json": components["schemas"]["Column"];
                };
            };
            /** @description The merge is still running; the process shows when it has ended. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Process"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRetention: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings, and the limits of the plan. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "versions": 10,
                     *       "days": null,
                     *       "plan": {
                     *         "versions": 30,
                     *         "days": 365
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RetentionSettings"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setRetention: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "versions": 10,
                 *       "days": null
                 *     }
                 */
                "application/json": {
                    /** @description How many of the newest versions are kept, the current one included; null: all. */
                    versions?: number | null;
                    /** @description Days after which a replaced version is deleted; null: never. */
                    days?: number | null;
                };
            };
        };
        responses: {
            /** @description The settings, and the limits of the plan. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "versions": 10,
                     *       "days": null,
                     *       "plan": {
                     *         "versions": 30,
                     *         "days": 365
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RetentionSettings"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listVersions: {
        parameters: {
            query?: {
                /** @description Most versions in the answer; 100 unless given. */
                $top?: number;
                /**
                 * @description Only versions with lower ids: the last id of the page before.
                 * @example 12
                 */
                before?: number;
                /**
                 * @description Only the version that was current then. A day (its end) or a time; UTC unless it has a zone.
                 * @example 2099-12-31
                 */
                asOf?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Versions, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
                /**
                 * @description Version
                 * @example 12
                 */
                versionId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The version. */
            200: {
                headers: {
                    /** @description Its id in quotes, for `If-Match` of an upload. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    labelVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
                /**
                 * @description Version
                 * @example 12
                 */
                versionId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "As reported in March",
                 *       "pinned": true
                 *     }
                 */
                "application/json": {
                    /** @description Free text. */
                    label?: string | null;
                    pinned?: boolean;
                };
            };
        };
        responses: {
            /** @description The version. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
                /**
                 * @description Version
                 * @example 12
                 */
                versionId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    restoreVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
                /**
                 * @description Version
                 * @example 12
                 */
                versionId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new version. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    compareVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
                /**
                 * @description First version: its id, or a day (its end) or a time at which it was current; UTC unless it has a zone.
                 * @example 1
                 */
                from: string;
                /**
                 * @description Second version: its id, or a day (its end) or a time at which it was current; UTC unless it has a zone.
                 * @example 1
                 */
                to: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionDiff"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    queryRows: {
        parameters: {
            query?: {
                /**
                 * @description Where a page begins: taken from the address of the next page, together with the options of the first. It names the version.
                 * @example WzEsMV0.c2lnbmF0dXJl
                 */
                $skiptoken?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "$select": [
                 *         "Country",
                 *         "GDP"
                 *       ],
                 *       "$filter": "Country in ('France', 'Spain')",
                 *       "$top": 100
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Id of a version; without it the current data.
                     * @example 1
                     */
                    versionId?: string;
                    /**
                     * @description The version that was current then, under the names it had: a day (its end) or a time; UTC unless it has a zone. Not with `versionId`.
                     * @example 2099-12-31
                     */
                    asOf?: string;
                    /**
                     * @description Steps of OData Data Aggregation: `filter(…)`, `compute(…)`, `groupby((…),aggregate(…))`, `aggregate(…)`, `orderby(…)`, `top(n)`, `skip(n)`, joined by `/`. The other options work on their result.
                     * @example groupby((Country),aggregate(GDP with sum as GDP))
                     */
                    $apply?: string;
                    /**
                     * @description OData condition, such as `Country eq 'France' and Date ge 2020-01-01`.
                     * @example Country eq 'France'
                     */
                    $filter?: string;
                    /**
                     * @description Words or `"phrases"` that a text column must contain, whatever the case of letters; joined by `AND` or nothing, `OR`, `NOT` and parentheses.
                     * @example France OR Spain
                     */
                    $search?: string;
                    /**
                     * @description Rows of the last N distinct dates; `Row-Count` then says how many rows the dataset has.
                     * @example 2
                     */
                    $last?: number;
                    /**
                     * @description Leave out rows whose value columns are all null.
                     * @example true
                     */
                    dropNA?: boolean;
                    /**
                     * @description Columns with `asc` or `desc`, separated by commas. Nulls last, ties in upload order.
                     * @example Date desc
                     */
                    $orderby?: string;
                    /**
                     * @description Each combination of the selected columns once; needs `$select`, prepends nothing.
                     * @example true
                     */
                    $distinct?: boolean;
                    /**
                     * @description Leave out the first N rows.
                     * @example 2
                     */
                    $skip?: number;
                    /**
                     * @description First N rows; the header `Row-Count` then says how many match `$filter`.
                     * @example 2
                     */
                    $top?: number;
                    /**
                     * @description Rows of one page. While more follow, the header `Link` holds the address of the next page, with `rel="next"`.
                     * @example 2
                     */
                    $pagesize?: number;
                    /**
                     * @description Where a page begins: taken from the address of the next page, together with the options of the first. It names the version.
                     * @example WzEsMV0.c2lnbmF0dXJl
                     */
                    $skiptoken?: string;
                    /**
                     * @description Return only the number of rows.
                     * @example true
                     */
                    $count?: boolean;
                    /**
                     * @description Columns by name or id, separated by commas; `"…"` or `[…]` around a name that holds commas. Entity columns are prepended.
                     * @example GDP
                     */
                    $select?: string | (string | number)[];
                    /**
                     * @description `selected`: of the entity columns only those that `$select` names are in the answer.
                     * @example selected
                     * @enum {string}
                     */
                    entities?: "all" | "selected";
                    /**
                     * @description One column with the values of all entity columns.
                     * @example true
                     */
                    combineEntities?: boolean;
                    /**
                     * @description Names in the header as `name [id]`.
                     * @example true
                     */
                    includeIds?: boolean;
                    /**
                     * @description Dates become column headers, columns become rows.
                     * @example true
                     */
                    transpose?: boolean;
                    /**
                     * @description Format of the rows. Without it csv, unless `Accept` names other types and no wildcard.
                     * @example json
                     * @enum {string}
                     */
                    $format?: "csv" | "json" | "xlsx" | "tsv" | "parquet" | "arrow";
                    /**
                     * @description JSON numbers as numbers or as strings.
                     * @example string
                     * @enum {string}
                     */
                    $decimals?: "number" | "string";
                    /**
                     * @description CSV and TSV: quotes around all texts and dates, or only where a reader needs them.
                     * @example minimal
                     * @enum {string}
                     */
                    $quote?: "all" | "minimal";
                };
            };
        };
        responses: {
            /** @description The rows, or their number with `$count`. */
            200: {
                headers: {
                    /** @description With `$top`: rows that match `$filter`; with `$last` alone: rows of the dataset. */
                    "Row-Count"?: string;
                    /** @description With `$pagesize`, if more rows follow: the address of the next page, `rel="next"`. It does not contain a key. */
                    Link?: string;
                    /** @description Equal for equal rows in the same format. Strong; for Parquet and Arrow, whose bytes may differ, weak. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/json": {
                        [key: string]: string | number | null;
                    }[];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/tab-separated-values": string;
                    "application/vnd.apache.parquet": string;
                    "application/vnd.apache.arrow.stream": string;
                    "text/plain": string;
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    odataService: {
        parameters: {
            query?: {
                /** @description `json`, with `odata.metadata=` `minimal`, `full` or `none`; `xml` of `$metadata`. */
                $format?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document, the rows of a page, or one row. */
            200: {
                headers: {
                    /** @description Always `4.0`. */
                    "OData-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                    "application/xml": string;
                    "text/plain": string;
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
        };
    };
    odataBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description `continue-on-error`: also answer the parts after an error. */
                Prefer?: string;
            };
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "requests": [
                 *         {
                 *           "id": "1",
                 *           "method": "GET",
                 *           "url": "Rows?$top=5"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": unknown;
                /**
                 * @example {
                 *       "requests": [
                 *         {
                 *           "id": "1",
                 *           "method": "GET",
                 *           "url": "Rows?$top=5"
                 *         }
                 *       ]
                 *     }
                 */
                "multipart/mixed": unknown;
            };
        };
        responses: {
            /** @description The answers, in the form of the request and in its order. */
            200: {
                headers: {
                    /** @description Always `4.0`. */
                    "OData-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                    "multipart/mixed": string;
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
        };
    };
    odataResource: {
        parameters: {
            query?: {
                /** @description Properties, by identifier. */
                $select?: string;
                /** @description Condition, in the language of `$filter` of downloads. */
                $filter?: string;
                /** @description Words that a text must contain, as that of downloads. */
                $search?: string;
                /** @description Order; equal rows are in the order of their keys. */
                $orderby?: string;
                /** @description Most rows of the answer. */
                $top?: string;
                /** @description Rows to leave out at the start. */
                $skip?: string;
                /** @description Steps of OData Data Aggregation, as those of downloads. */
                $apply?: string;
                /** @description Start of a page, from `@odata.nextLink`. */
                $skiptoken?: string;
                /** @description `true`: `@odata.count` is the number of rows that match. */
                $count?: boolean;
                /** @description `json`, with `odata.metadata=` `minimal`, `full` or `none`; `xml` of `$metadata`. */
                $format?: string;
            };
            header?: {
                /** @description `odata.maxpagesize=n`: pages of at most n rows. */
                Prefer?: string;
                /** @description Latest version that the client reads; 400 if it is earlier than 4.0. */
                "OData-MaxVersion"?: string;
            };
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
                /** @example Rows */
                resource: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document, the rows of a page, or one row. */
            200: {
                headers: {
                    /** @description Always `4.0`. */
                    "OData-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                    "application/xml": string;
                    "text/plain": string;
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
        };
    };
    odataCount: {
        parameters: {
            query?: {
                /** @description Properties, by identifier. */
                $select?: string;
                /** @description Condition, in the language of `$filter` of downloads. */
                $filter?: string;
                /** @description Words that a text must contain, as that of downloads. */
                $search?: string;
                /** @description Order; equal rows are in the order of their keys. */
                $orderby?: string;
                /** @description Most rows of the answer. */
                $top?: string;
                /** @description Rows to leave out at the start. */
                $skip?: string;
                /** @description Steps of OData Data Aggregation, as those of downloads. */
                $apply?: string;
                /** @description Start of a page, from `@odata.nextLink`. */
                $skiptoken?: string;
                /** @description `true`: `@odata.count` is the number of rows that match. */
                $count?: boolean;
                /** @description `json`, with `odata.metadata=` `minimal`, `full` or `none`; `xml` of `$metadata`. */
                $format?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
                /** @example Rows */
                resource: string;
                /** @example $count */
                part: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document, the rows of a page, or one row. */
            200: {
                headers: {
                    /** @description Always `4.0`. */
                    "OData-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                    "application/xml": string;
                    "text/plain": string;
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
        };
    };
    odataRepositoryService: {
        parameters: {
            query?: {
                /** @description `json`, with `odata.metadata=` `minimal`, `full` or `none`; `xml` of `$metadata`. */
                $format?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Repository
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document, the rows of a page, or one row. */
            200: {
                headers: {
                    /** @description Always `4.0`. */
                    "OData-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                    "application/xml": string;
                    "text/plain": string;
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
        };
    };
    odataRepositoryBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description `continue-on-error`: also answer the parts after an error. */
                Prefer?: string;
            };
            path: {
                /**
                 * @description Repository
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "requests": [
                 *         {
                 *           "id": "1",
                 *           "method": "GET",
                 *           "url": "Prices?$top=5"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": unknown;
                /**
                 * @example {
                 *       "requests": [
                 *         {
                 *           "id": "1",
                 *           "method": "GET",
                 *           "url": "Prices?$top=5"
                 *         }
                 *       ]
                 *     }
                 */
                "multipart/mixed": unknown;
            };
        };
        responses: {
            /** @description The answers, in the form of the request and in its order. */
            200: {
                headers: {
                    /** @description Always `4.0`. */
                    "OData-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                    "multipart/mixed": string;
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
        };
    };
    odataRepositoryResource: {
        parameters: {
            query?: {
                /** @description Properties, by identifier. */
                $select?: string;
                /** @description Condition, in the language of `$filter` of downloads. */
                $filter?: string;
                /** @description Words that a text must contain, as that of downloads. */
                $search?: string;
                /** @description Order; equal rows are in the order of their keys. */
                $orderby?: string;
                /** @description Most rows of the answer. */
                $top?: string;
                /** @description Rows to leave out at the start. */
                $skip?: string;
                /** @description Steps of OData Data Aggregation, as those of downloads. */
                $apply?: string;
                /** @description Start of a page, from `@odata.nextLink`. */
                $skiptoken?: string;
                /** @description `true`: `@odata.count` is the number of rows that match. */
                $count?: boolean;
                /** @description `json`, with `odata.metadata=` `minimal`, `full` or `none`; `xml` of `$metadata`. */
                $format?: string;
            };
            header?: {
                /** @description `odata.maxpagesize=n`: pages of at most n rows. */
                Prefer?: string;
                /** @description Latest version that the client reads; 400 if it is earlier than 4.0. */
                "OData-MaxVersion"?: string;
            };
            path: {
                /**
                 * @description Repository
                 * @example 12
                 */
                id: number;
                /** @example Prices */
                resource: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document, the rows of a page, or one row. */
            200: {
                headers: {
                    /** @description Always `4.0`. */
                    "OData-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                    "application/xml": string;
                    "text/plain": string;
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
        };
    };
    odataRepositoryCount: {
        parameters: {
            query?: {
                /** @description Properties, by identifier. */
                $select?: string;
                /** @description Condition, in the language of `$filter` of downloads. */
                $filter?: string;
                /** @description Words that a text must contain, as that of downloads. */
                $search?: string;
                /** @description Order; equal rows are in the order of their keys. */
                $orderby?: string;
                /** @description Most rows of the answer. */
                $top?: string;
                /** @description Rows to leave out at the start. */
                $skip?: string;
                /** @description Steps of OData Data Aggregation, as those of downloads. */
                $apply?: string;
                /** @description Start of a page, from `@odata.nextLink`. */
                $skiptoken?: string;
                /** @description `true`: `@odata.count` is the number of rows that match. */
                $count?: boolean;
                /** @description `json`, with `odata.metadata=` `minimal`, `full` or `none`; `xml` of `$metadata`. */
                $format?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Repository
                 * @example 12
                 */
                id: number;
                /** @example Prices */
                resource: string;
                /** @example $count */
                part: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document, the rows of a page, or one row. */
            200: {
                headers: {
                    /** @description Always `4.0`. */
                    "OData-Version"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                    "application/xml": string;
                    "text/plain": string;
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ODataError"];
                };
            };
        };
    };
    openDataset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
                kind: "odc" | "pbids" | "iqy";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    /** @description Name of the dataset as the name of the file. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/x-ms-odc": string;
                    "application/octet-stream": string;
                    "text/x-ms-iqy": string;
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createReadLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Sheet of the sales team",
                 *       "query": {
                 *         "$select": "GDP",
                 *         "$filter": "Country eq 'France'",
                 *         "$format": "csv"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description What it is for. Kept exactly as given; at most 255 characters. */
                    name: string;
                    /** @description The query parameters of the download as members, with or without `$`; `$select` may be a list of names and ids. `$filter` may be up to 1 MiB long, with up to 50,000 values in one `in`. */
                    query?: {
                        /**
                         * @description Id of a version; without it the current data.
                         * @example 1
                         */
                        versionId?: string;
                        /**
                         * @description The version that was current then, under the names it had: a day (its end) or a time; UTC unless it has a zone. Not with `versionId`.
                         * @example 2099-12-31
                         */
                        asOf?: string;
                        /**
                         * @description Steps of OData Data Aggregation: `filter(…)`, `compute(…)`, `groupby((…),aggregate(…))`, `aggregate(…)`, `orderby(…)`, `top(n)`, `skip(n)`, joined by `/`. The other options work on their result.
                         * @example groupby((Country),aggregate(GDP with sum as GDP))
                         */
                        $apply?: string;
                        /**
                         * @description OData condition, such as `Country eq 'France' and Date ge 2020-01-01`.
                         * @example Country eq 'France'
                         */
                        $filter?: string;
                        /**
                         * @description Words or `"phrases"` that a text column must contain, whatever the case of letters; joined by `AND` or nothing, `OR`, `NOT` and parentheses.
                         * @example France OR Spain
                         */
                        $search?: string;
                        /**
                         * @description Rows of the last N distinct dates; `Row-Count` then says how many rows the dataset has.
                         * @example 2
                         */
                        $last?: number;
                        /**
                         * @description Leave out rows whose value columns are all null.
                         * @example true
                         */
                        dropNA?: boolean;
                        /**
                         * @description Columns with `asc` or `desc`, separated by commas. Nulls last, ties in upload order.
                         * @example Date desc
                         */
                        $orderby?: string;
                        /**
                         * @description Each combination of the selected columns once; needs `$select`, prepends nothing.
                         * @example true
                         */
                        $distinct?: boolean;
                        /**
                         * @description Leave out the first N rows.
                         * @example 2
                         */
                        $skip?: number;
                        /**
                         * @description First N rows; the header `Row-Count` then says how many match `$filter`.
                         * @example 2
                         */
                        $top?: number;
                        /**
                         * @description Rows of one page. While more follow, the header `Link` holds the address of the next page, with `rel="next"`.
                         * @example 2
                         */
                        $pagesize?: number;
                        /**
                         * @description Where a page begins: taken from the address of the next page, together with the options of the first. It names the version.
                         * @example WzEsMV0.c2lnbmF0dXJl
                         */
                        $skiptoken?: string;
                        /**
                         * @description Return only the number of rows.
                         * @example true
                         */
                        $count?: boolean;
                        /**
                         * @description Columns by name or id, separated by commas; `"…"` or `[…]` around a name that holds commas. Entity columns are prepended.
                         * @example GDP
                         */
                        $select?: string | (string | number)[];
                        /**
                         * @description `selected`: of the entity columns only those that `$select` names are in the answer.
                         * @example selected
                         * @enum {string}
                         */
                        entities?: "all" | "selected";
                        /**
                         * @description One column with the values of all entity columns.
                         * @example true
                         */
                        combineEntities?: boolean;
                        /**
                         * @description Names in the header as `name [id]`.
                         * @example true
                         */
                        includeIds?: boolean;
                        /**
                         * @description Dates become column headers, columns become rows.
                         * @example true
                         */
                        transpose?: boolean;
                        /**
                         * @description Format of the rows. Without it csv, unless `Accept` names other types and no wildcard.
                         * @example json
                         * @enum {string}
                         */
                        $format?: "csv" | "json" | "xlsx" | "tsv" | "parquet" | "arrow";
                        /**
                         * @description JSON numbers as numbers or as strings.
                         * @example string
                         * @enum {string}
                         */
                        $decimals?: "number" | "string";
                        /**
                         * @description CSV and TSV: quotes around all texts and dates, or only where a reader needs them.
                         * @example minimal
                         * @enum {string}
                         */
                        $quote?: "all" | "minimal";
                    };
                    chart?: components["schemas"]["ReadLinkChart"];
                    expiresAt?: string | null;
                    /** @description Bytes that the link may send in a day (UTC); null: no limit of its own. */
                    maxBytesPerDay?: number | null;
                };
            };
        };
        responses: {
            /** @description The new link. No other answer shows its address. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 4,
                     *       "name": "Sheet of the sales team",
                     *       "datasetId": 12,
                     *       "datasetName": "Prices",
                     *       "prefix": "tabr_A1b2C3d4",
                     *       "query": {
                     *         "$select": "GDP",
                     *         "$filter": "Country eq 'France'",
                     *         "$format": "csv"
                     *       },
                     *       "chart": null,
                     *       "keyId": null,
                     *       "createdAt": "2026-01-31T12:00:00.000",
                     *       "expiresAt": null,
                     *       "maxBytesPerDay": null,
                     *       "lastUsedAt": null,
                     *       "reads": 0,
                     *       "bytes": 0,
                     *       "bytesToday": 0,
                     *       "refusedBecause": null,
                     *       "url": "https://host/api/links/tabr_A1b2C3d4….csv",
                     *       "pageUrl": null
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedReadLink"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listReadLinks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The links, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 4,
                     *         "name": "Sheet of the sales team",
                     *         "datasetId": 12,
                     *         "datasetName": "Prices",
                     *         "prefix": "tabr_A1b2C3d4",
                     *         "query": {
                     *           "$select": "GDP",
                     *           "$filter": "Country eq 'France'",
                     *           "$format": "csv"
                     *         },
                     *         "chart": null,
                     *         "keyId": null,
                     *         "createdAt": "2026-01-31T12:00:00.000",
                     *         "expiresAt": null,
                     *         "maxBytesPerDay": null,
                     *         "lastUsedAt": null,
                     *         "reads": 0,
                     *         "bytes": 0,
                     *         "bytesToday": 0,
                     *         "refusedBecause": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ReadLink"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeReadLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the link.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateReadLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the link.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Dashboard",
                 *       "maxBytesPerDay": 1000000000
                 *     }
                 */
                "application/json": {
                    /** @description What it is for. Kept exactly as given; at most 255 characters. */
                    name?: string;
                    expiresAt?: string | null;
                    /** @description Bytes that the link may send in a day (UTC); null: no limit of its own. */
                    maxBytesPerDay?: number | null;
                };
            };
        };
        responses: {
            /** @description The link. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 4,
                     *       "name": "Sheet of the sales team",
                     *       "datasetId": 12,
                     *       "datasetName": "Prices",
                     *       "prefix": "tabr_A1b2C3d4",
                     *       "query": {
                     *         "$select": "GDP",
                     *         "$filter": "Country eq 'France'",
                     *         "$format": "csv"
                     *       },
                     *       "chart": null,
                     *       "keyId": null,
                     *       "createdAt": "2026-01-31T12:00:00.000",
                     *       "expiresAt": null,
                     *       "maxBytesPerDay": null,
                     *       "lastUsedAt": null,
                     *       "reads": 0,
                     *       "bytes": 0,
                     *       "bytesToday": 0,
                     *       "refusedBecause": null
                     *     }
                     */
                    "application/json": components["schemas"]["ReadLink"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    fetchReadLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description Parts of the file, such as `bytes=0-1023`; several are possible. */
                Range?: string;
                /** @description `ETag` of the parts that you have; if it changed, the whole file is sent. */
                "If-Range"?: string;
                /** @description `ETag` of the file that you have; 304 if it is the same. */
                "If-None-Match"?: string;
                /** @description `ETag` of the file that you read parts of; 412 if it is another one by now. */
                "If-Match"?: string;
            };
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rows, their number with `$count`, or a chart of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/json": {
                        [key: string]: string | number | null;
                    }[];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/tab-separated-values": string;
                    "application/vnd.apache.parquet": string;
                    "application/vnd.apache.arrow.stream": string;
                    "text/plain": string;
                    "image/svg+xml": string;
                    "text/html": string;
                };
            };
            /** @description The requested parts. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.apache.parquet": string;
                };
            };
            /** @description The client already has the file. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description None of the requested parts is within the file. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSummary: {
        parameters: {
            query?: {
                /** @description Only rows that match. */
                $filter?: string;
                /** @description Columns by name or id, separated by commas. */
                $select?: string;
                /**
                 * @description Id of a version; without it the current data.
                 * @example 12
                 */
                versionId?: number;
                /**
                 * @description The version that was current then. A day (its end) or a time; UTC unless it has a zone.
                 * @example 2099-12-31
                 */
                asOf?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The columns in their order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Summary"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listColumnValues: {
        parameters: {
            query?: {
                /** @description Only values with this prefix. */
                startsWith?: string;
                /** @description Most values; 100 unless given. */
                $top?: number;
                /**
                 * @description Id of a version; without it the current data.
                 * @example 12
                 */
                versionId?: number;
                /**
                 * @description The version that was current then. A day (its end) or a time; UTC unless it has a zone.
                 * @example 2099-12-31
                 */
                asOf?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
                /** @description Name or id of the column. */
                column: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The values. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        value: string;
                        /** @description Rows. */
                        count: number;
                    }[];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    downloadVersionDiff: {
        parameters: {
            query?: {
                /** @description Most rows. */
                $top?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
                /**
                 * @description First version: its id, or a day (its end) or a time at which it was current; UTC unless it has a zone.
                 * @example 1
                 */
                from: string;
                /**
                 * @description Second version: its id, or a day (its end) or a time at which it was current; UTC unless it has a zone.
                 * @example 1
                 */
                to: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rows. */
            200: {
                headers: {
                    /** @description JSON list of the columns by which rows are matched; empty: whole rows are compared, and none is shown as changed. */
                    "Row-Key"?: string;
                    /** @description JSON list of the columns that are no key because several rows of one version share their values. */
                    "Ambiguous-Row-Key"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    downloadDryRunDiff: {
        parameters: {
            query?: {
                /** @description Most rows. */
                $top?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
                /**
                 * @description Process
                 * @example 12
                 */
                processId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rows. */
            200: {
                headers: {
                    /** @description JSON list of the columns by which rows are matched; empty: whole rows are compared, and none is shown as changed. */
                    "Row-Key"?: string;
                    /** @description JSON list of the columns that are no key because several rows of one version share their values. */
                    "Ambiguous-Row-Key"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRevisions: {
        parameters: {
            query?: {
                /** @description Only rows that match, in whatever version. */
                $filter?: string;
                /** @description Columns by name or id, separated by commas; entity columns are prepended. */
                $select?: string;
                /** @description `first`: only what each observation was when it was first published. `latest`: what it is, with the version that brought it. */
                vintage?: "all" | "first" | "latest";
                /**
                 * @description Only what was said until then. A day (its end) or a time; UTC unless it has a zone.
                 * @example 2099-12-31
                 */
                asOf?: string;
                /** @description Most rows. */
                $top?: number;
                /** @description Without it json. */
                $format?: "json" | "csv" | "tsv";
            };
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The columns of the dataset, `versionId`, `publishedAt` and `change`, by entity and version. */
            200: {
                headers: {
                    /** @description JSON list of the columns by which rows are matched; empty: whole rows are compared, and none is shown as changed. */
                    "Row-Key"?: string;
                    /** @description JSON list of the columns that are no key because several rows of one version share their values. */
                    "Ambiguous-Row-Key"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string | number | null;
                    }[];
                    "text/csv": string;
                    "text/tab-separated-values": string;
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    fetchFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Parts of the file, such as `bytes=0-1023`; several are possible. */
                Range?: string;
                /** @description `ETag` of the parts that you have; if it changed, the whole file is sent. */
                "If-Range"?: string;
                /** @description `ETag` of the file that you have; 304 if it is the same. */
                "If-None-Match"?: string;
                /** @description `ETag` of the file that you read parts of; 412 if it is another one by now. */
                "If-Match"?: string;
            };
            path: {
                token: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/vnd.apache.parquet": string;
                };
            };
            /** @description The requested parts. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/vnd.apache.parquet": string;
                };
            };
            /** @description The file is served by object storage. */
            302: {
                headers: {
                    /** @description Its address there, valid for a few seconds. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The client already has the file. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description None of the requested parts is within the file. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readTableAsCsv: {
        parameters: {
            query?: {
                /**
                 * @description Id of a version; without it the current data.
                 * @example 1
                 */
                versionId?: string;
                /**
                 * @description The version that was current then, under the names it had: a day (its end) or a time; UTC unless it has a zone. Not with `versionId`.
                 * @example 2099-12-31
                 */
                asOf?: string;
            };
            header?: {
                /** @description Parts of the file, such as `bytes=0-1023`; several are possible. */
                Range?: string;
                /** @description `ETag` of the parts that you have; if it changed, the whole file is sent. */
                "If-Range"?: string;
                /** @description `ETag` of the file that you have; 304 if it is the same. */
                "If-None-Match"?: string;
                /** @description `ETag` of the file that you read parts of; 412 if it is another one by now. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description The requested parts. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description The client already has the file. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description None of the requested parts is within the file. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readTableAsParquet: {
        parameters: {
            query?: {
                /**
                 * @description Id of a version; without it the current data.
                 * @example 1
                 */
                versionId?: string;
                /**
                 * @description The version that was current then, under the names it had: a day (its end) or a time; UTC unless it has a zone. Not with `versionId`.
                 * @example 2099-12-31
                 */
                asOf?: string;
            };
            header?: {
                /** @description Parts of the file, such as `bytes=0-1023`; several are possible. */
                Range?: string;
                /** @description `ETag` of the parts that you have; if it changed, the whole file is sent. */
                "If-Range"?: string;
                /** @description `ETag` of the file that you have; 304 if it is the same. */
                "If-None-Match"?: string;
                /** @description `ETag` of the file that you read parts of; 412 if it is another one by now. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.apache.parquet": string;
                };
            };
            /** @description The requested parts. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.apache.parquet": string;
                };
            };
            /** @description The client already has the file. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A precondition failed. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description None of the requested parts is within the file. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportAccount: {
        parameters: {
            query?: {
                /** @description Rows of the current version of each dataset (default), or of all kept versions. */
                versions?: "current" | "all";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The archive. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": string;
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listProviders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The providers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "slug": "bankofcanada",
                     *         "name": "Valet",
                     *         "provider": "Bank of Canada",
                     *         "description": "Exchange rates, interest rates and other financial statistics of Canada.",
                     *         "capabilities": [
                     *           "hierarchical",
                     *           "search"
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Provider"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    matchProviders: {
        parameters: {
            query: {
                /** @description Words. */
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Best first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "slug": "bankofcanada",
                     *         "name": "Valet",
                     *         "provider": "Bank of Canada",
                     *         "description": "Exchange rates, interest rates and other financial statistics of Canada.",
                     *         "capabilities": [
                     *           "hierarchical",
                     *           "search"
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ProviderMatch"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of a provider, in any case. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The provider. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderDetail"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getProviderQuota: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of a provider, in any case. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Limits, and what is left of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "slug": "alphavantage",
                     *       "key": "service",
                     *       "api_key_required": true,
                     *       "per_second": 1,
                     *       "quotas": [
                     *         {
                     *           "span": "day",
                     *           "limit": 25,
                     *           "left": 12,
                     *           "next_at": "2026-03-14T04:00:00"
                     *         }
                     *       ],
                     *       "held_until": null
                     *     }
                     */
                    "application/json": components["schemas"]["ProviderQuota"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    searchProviders: {
        parameters: {
            query: {
                /** @description Words or an id. */
                q: string;
                /** @description Most items. Default 50. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Best first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProvidersSearchResult"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    searchProvider: {
        parameters: {
            query: {
                /** @description Words or an id. */
                q: string;
            };
            header?: never;
            path: {
                /** @description Slug of a provider, in any case. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Best first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderSearchResult"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests: a limit of an upstream provider, which the message names, or of this caller. */
            429: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The provider does not implement the operation. */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The upstream provider answered with an error. */
            502: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    browseProvider: {
        parameters: {
            query?: {
                /** @description Permit in the tree; left out: the root. */
                path?: string;
                /** @description Levels of folders. Default 1. */
                depth?: number;
                /** @description The series at the path, in pages, in place of folders. */
                series?: boolean;
                /** @description With `series=true`: size of the page. Default 200. */
                limit?: number;
                /** @description With `series=true`: series before the page. Default 0. */
                offset?: number;
            };
            header?: never;
            path: {
                /** @description Slug of a provider, in any case. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Folders, or series. */
            200: {
                headers: {
                    /** @description Seconds since the provider said so. */
                    Age?: string;
                    /** @description `110` if the provider cannot be reached and this is its last answer. */
                    Warning?: string;
                    /** @description With `series=true`: number of all series at the path, if the provider reports it. */
                    "Row-Count"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "label": "Exchange rates",
                     *         "path": "fx",
                     *         "children": [
                     *           {
                     *             "label": "Daily",
                     *             "path": "fx/daily"
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["BrowseEntry"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests: a limit of an upstream provider, which the message names, or of this caller. */
            429: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The provider does not implement the operation. */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The upstream provider answered with an error. */
            502: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    previewSeries: {
        parameters: {
            query?: never;
            header?: {
                /** @description `ETag` of an earlier response; 304 if it would be the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Slug of a provider, in any case. */
                slug: string;
                /** @description Id of the series; slashes may be sent as they are or as %2F. */
                seriesId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The series, oldest observation first. */
            200: {
                headers: {
                    /** @description Seconds since the provider said so. */
                    Age?: string;
                    /** @description `110` if the provider cannot be reached and this is its last answer. */
                    Warning?: string;
                    /** @description Strong: changes exactly when the body does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "series_id": "FXUSDCAD",
                     *       "label": "USD/CAD",
                     *       "metadata": {
                     *         "frequency": "Daily",
                     *         "units": "CAD per USD",
                     *         "unit": "CAD per USD",
                     *         "unitMultiplier": 1
                     *       },
                     *       "data": [
                     *         {
                     *           "date": "2026-03-12",
                     *           "value": 1.4405
                     *         },
                     *         {
                     *           "date": "2026-03-13",
                     *           "value": null,
                     *           "flag": "Bank holiday"
                     *         }
                     *       ],
                     *       "is_preview": true
                     *     }
                     */
                    "application/json": components["schemas"]["Series"];
                };
            };
            /** @description The client already has this response. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests: a limit of an upstream provider, which the message names, or of this caller. */
            429: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The provider does not implement the operation. */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The upstream provider answered with an error. */
            502: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSeries: {
        parameters: {
            query?: never;
            header?: {
                /** @description `ETag` of an earlier response; 304 if it would be the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Slug of a provider, in any case. */
                slug: string;
                /** @description Id of the series; slashes may be sent as they are or as %2F. */
                seriesId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "params": {
                 *         "start": "2020-01-01"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description By key; none by default. */
                    params?: {
                        [key: string]: unknown;
                    } | null;
                };
            };
        };
        responses: {
            /** @description The series, oldest observation first. */
            200: {
                headers: {
                    /** @description Seconds since the provider said so. */
                    Age?: string;
                    /** @description `110` if the provider cannot be reached and this is its last answer. */
                    Warning?: string;
                    /** @description Strong: changes exactly when the body does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "series_id": "FXUSDCAD",
                     *       "label": "USD/CAD",
                     *       "metadata": {
                     *         "frequency": "Daily",
                     *         "units": "CAD per USD",
                     *         "unit": "CAD per USD",
                     *         "unitMultiplier": 1
                     *       },
                     *       "data": [
                     *         {
                     *           "date": "2026-03-12",
                     *           "value": 1.4405
                     *         },
                     *         {
                     *           "date": "2026-03-13",
                     *           "value": null,
                     *           "flag": "Bank holiday"
                     *         }
                     *       ],
                     *       "is_preview": false
                     *     }
                     */
                    "application/json": components["schemas"]["Series"];
                };
            };
            /** @description The client already has this response. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests: a limit of an upstream provider, which the message names, or of this caller. */
            429: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The provider does not implement the operation. */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The upstream provider answered with an error. */
            502: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPanel: {
        parameters: {
            query?: never;
            header?: {
                /** @description `ETag` of an earlier response; 304 if it would be the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Slug of a provider, in any case. */
                slug: string;
                /** @description Id of the series; slashes may be sent as they are or as %2F. */
                seriesId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "params": {
                 *         "country": [
                 *           "NOR",
                 *           "SWE"
                 *         ]
                 *       },
                 *       "shape": "long"
                 *     }
                 */
                "application/json": {
                    /** @description By key; none by default. */
                    params?: {
                        [key: string]: unknown;
                    } | null;
                    /**
                     * @description `long`: an entry of `data` for each date and series, with code and label of each open dimension. `wide`: an entry for each date, with the values by name of the series.
                     * @default long
                     * @enum {string}
                     */
                    shape?: "long" | "wide";
                };
            };
        };
        responses: {
            /** @description The panel; oldest observation of each series first. */
            200: {
                headers: {
                    /** @description Seconds since the provider said so. */
                    Age?: string;
                    /** @description `110` if the provider cannot be reached and this is its last answer. */
                    Warning?: string;
                    /** @description Strong: changes exactly when the body does. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "series_id": "SP.POP.TOTL",
                     *       "label": "Population, total",
                     *       "metadata": {
                     *         "frequency": "Annual",
                     *         "source": "World Development Indicators"
                     *       },
                     *       "dimensions": [
                     *         {
                     *           "id": "country",
                     *           "label": "Country"
                     *         }
                     *       ],
                     *       "series": [
                     *         {
                     *           "name": "NOR",
                     *           "codes": [
                     *             "NOR"
                     *           ],
                     *           "labels": [
                     *             "Norway"
                     *           ],
                     *           "observations": 1
                     *         }
                     *       ],
                     *       "shape": "long",
                     *       "data": [
                     *         {
                     *           "date": "2024-01-01",
                     *           "country": "NOR",
                     *           "country_label": "Norway",
                     *           "value": 5572279
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Panel"];
                };
            };
            /** @description The client already has this response. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests: a limit of an upstream provider, which the message names, or of this caller. */
            429: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The provider does not implement the operation. */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The upstream provider answered with an error. */
            502: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    keepSeries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of a provider, in any case. */
                slug: string;
                /** @description Id of the series; slashes may be sent as they are or as %2F. */
                seriesId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "repositoryId": 7,
                 *       "name": "US dollar in Canada",
                 *       "refresh": "daily"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Repository of the new dataset.
                     * @example 7
                     */
                    repositoryId: number;
                    /** @description Default: the name of the series at the provider. Kept exactly as given; at most 255 characters. */
                    name?: string;
                    /** @description Free text. */
                    description?: string | null;
                    params?: {
                        [key: string]: unknown;
                    } | null;
                    /** @description `daily`, `weekly`, or five fields of cron in UTC, at most once an hour; null or left out: only on request. */
                    refresh?: string | null;
                    /**
                     * @description Parts of the observations that become columns: `date` and `value`, and `flag` for a column Flag with the status codes of the provider (`p`), whose meanings are in `series[].flags`.
                     * @default [
                     *       "date",
                     *       "value"
                     *     ]
                     */
                    columns?: ("date" | "value" | "flag")[];
                    /** @description `true`: the vintages that the provider keeps (FRED's archive ALFRED) become versions, newest first, in the background; `asOf` and `revisions` then reach back to before the dataset was made. 400 for providers that keep none. */
                    backfill?: boolean;
                    /** @description `true`: the id and the parameters stand for several series, as in `/panel`. The columns are Date, code and label of each open dimension (`country`, `country_label`), Value (and Flag). */
                    panel?: boolean;
                    /** @description Further series of the same provider: an id, or `{id, params}` with parameters of its own, which replace those of the same name in `params`. */
                    seriesIds?: (string | {
                        id: string;
                        params?: {
                            [key: string]: unknown;
                        } | null;
                    })[];
                };
            };
        };
        responses: {
            /** @description The dataset, and the process that shows when its rows are visible. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Assigned by the service. */
                        id: number;
                        name: string;
                        /** @description Repository it belongs to. */
                        repositoryId: number;
                        description: string | null;
                        sourceName: string | null;
                        sourceUrl: string | null;
                        /**
                         * @description The caller's level.
                         * @enum {string}
                         */
                        permission: "Owner" | "Admin" | "Write" | "Clone" | "Read";
                        /** @description Distance between neighbouring dates, such as Monthly. */
                        frequency: string | null;
                        /** @description First date. */
                        minDate: string | null;
                        /** @description Last date. */
                        maxDate: string | null;
                        /** @enum {string} */
                        privacy: "Public" | "Private";
                        /** @description Rows of the current version. */
                        rowCount: number;
                        /** @description Uncompressed bytes of the current version, as uploaded. */
                        byteSize: number;
                        /** @description Null before the first upload. */
                        currentVersionId: string | null;
                        /**
                         * @description ISO 8601 in UTC, without zone offset.
                         * @example 2026-01-31T12:00:00.000
                         */
                        createdAt: string;
                        /**
                         * @description ISO 8601 in UTC, without zone offset.
                         * @example 2026-01-31T12:00:00.000
                         */
                        updatedAt: string;
                        /** @description The series of the dataset, as the provider last described them. */
                        series?: components["schemas"]["KeptSeries"][];
                        columns: components["schemas"]["Column"][];
                        retention: components["schemas"]["Retention"];
                        refresh?: components["schemas"]["Refresh"];
                        process: components["schemas"]["Process"];
                    };
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests: a limit of an upstream provider, which the message names, or of this caller. */
            429: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The provider does not implement the operation. */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The upstream provider answered with an error. */
            502: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setRefresh: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh": "30 6 * * 1-5"
                 *     }
                 */
                "application/json": {
                    /** @description `daily`, `weekly`, or five fields of cron in UTC, at most once an hour; null or left out: only on request. */
                    refresh?: string | null;
                };
            };
        };
        responses: {
            /** @description The dataset. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dataset"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    refreshDataset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Dataset
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run is due. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dataset"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listUserKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description `true` for each slug. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "fred": true
                     *     }
                     */
                    "application/json": {
                        [key: string]: true;
                    };
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setUserKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Slug of a provider, in any case. */
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "api_key": "<UPSTREAM_API_KEY>"
                 *     }
                 */
                "application/json": {
                    api_key?: string | null;
                };
            };
        };
        responses: {
            /** @description Whether there is a key now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "slug": "fred",
                     *       "has_key": true
                     *     }
                     */
                    "application/json": components["schemas"]["UserKey"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    searchFeed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Words; a space is `%20` or `+`. */
                query: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Best first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "id": "GDP",
                     *           "title": "Gross Domestic Product",
                     *           "frequency": "Quarterly",
                     *           "units": "Billions"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["FeedSearchResult"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests: a limit of an upstream provider, which the message names, or of this caller. */
            429: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The provider does not implement the operation. */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The upstream provider answered with an error. */
            502: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    downloadFeed: {
        parameters: {
            query?: {
                /** @description Default csv. */
                $format?: "csv" | "json" | "xlsx" | "tsv";
                /** @description First rows only, after `start` and `end`. */
                $top?: number;
                /** @description First day, YYYY-MM-DD. */
                start?: string;
                /** @description Last day, YYYY-MM-DD. */
                end?: string;
            };
            header?: {
                /** @description `ETag` of an earlier response; 304 if it would be the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Symbol. */
                symbol: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rows. */
            200: {
                headers: {
                    /** @description Seconds since the provider said so. */
                    Age?: string;
                    /** @description `110` if the provider cannot be reached and this is its last answer. */
                    Warning?: string;
                    /** @description Strong: the same for the same rows in the same form. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/json": {
                        [key: string]: string | number | null;
                    }[];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/tab-separated-values": string;
                };
            };
            /** @description The client already has this response. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The action needs a higher plan; the body names the quota, its limit and its use. */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests: a limit of an upstream provider, which the message names, or of this caller. */
            429: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The provider does not implement the operation. */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The upstream provider answered with an error. */
            502: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A long operation timed out. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAllUploads: {
        parameters: {
            query?: {
                /** @description Most uploads in the answer; 100 unless given. */
                $top?: number;
                /**
                 * @description Only lower ids: the last id of the page before.
                 * @example 12
                 */
                before?: number;
                /** @description Only those of this status. */
                status?: "pending" | "completed" | "failed";
                /** @description Id or name of the account that sent the file. */
                account?: string;
                /**
                 * @description Only those of this dataset.
                 * @example 12
                 */
                dataset?: number;
                /** @description Code of the error of failed ones. */
                error?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Uploads. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationsUpload"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAnyUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Of the process.
                 * @example 12
                 */
                processId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The upload. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationsUploadDetails"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listUploadChunks: {
        parameters: {
            query?: {
                /** @description Most chunks in the answer; 100 unless given. */
                $top?: number;
                /** @description Only higher numbers: the last one of the page before. */
                after?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Of the process.
                 * @example 12
                 */
                processId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Chunks, in the order of the file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationsChunk"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    replayUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Of the process.
                 * @example 12
                 */
                processId: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "takeOver": false
                 *     }
                 */
                "application/json": {
                    /** @description Also one that is pending. */
                    takeOver?: boolean;
                };
            };
        };
        responses: {
            /** @description The upload, which is read again. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationsUploadDetails"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDeadLetters: {
        parameters: {
            query?: {
                /** @description Most messages in the answer; 100 unless given. */
                $top?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Dead letters. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetter"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getDeadLetter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Of the dead letter.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The dead letter. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetterDetails"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    dropDeadLetter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Of the dead letter.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is off the list. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    replayDeadLetter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Of the dead letter.
                 * @example 12
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What it belongs to. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        process: number;
                        chunk: number;
                    };
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict with what exists. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getStores: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What ClickHouse holds. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationsStores"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setConsuming: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "paused": true
                 *     }
                 */
                "application/json": {
                    paused: boolean;
                };
            };
        };
        responses: {
            /** @description Since when they wait; null: they do not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        pausedSince: string | null;
                    };
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body took too long to arrive. */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than allowed. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has a wrong content type. */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listJobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Jobs by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationsJob"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    runJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description One of compaction, export-files, export-files-ahead, key-checks, provider-trims, read-copies, row-drops, search-index, segment-hashes, series-backfills, series-refreshes, storage-sweep, summaries-ahead, trims, upload-sweep. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job is due. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSamples: {
        parameters: {
            query?: {
                /** @description How far back; 360 unless given. */
                minutes?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationsSample"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                /** @description Most events in the answer; 100 unless given. */
                $top?: number;
                /**
                 * @description Only events with lower ids: the last id of the page before.
                 * @example 12
                 */
                before?: number;
                /** @description Id or name of the account that did it. */
                account?: string;
                /** @description Such as `key.create`, or the part before the dot. */
                action?: string;
                /** @description What it was done to: `dataset`, `repository`, `key`, `team` … */
                targetKind?: string;
                /**
                 * @description Id of what it was done to.
                 * @example 12
                 */
                targetId?: number;
                /**
                 * @description Not before this time. A day (its start) or a time; UTC unless it has a zone.
                 * @example 2026-01-31T00:00:00
                 */
                from?: string;
                /**
                 * @description Before this time. A day (its start) or a time; UTC unless it has a zone.
                 * @example 2026-01-31T00:00:00
                 */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 4711,
                     *         "at": "2026-01-31T09:30:00.000",
                     *         "actor": {
                     *           "kind": "account",
                     *           "accountId": 1,
                     *           "name": "ada",
                     *           "keyId": 12,
                     *           "address": "192.0.2.7",
                     *           "requestId": "3f9c2c52-6d0f-4b51-9f0d-2c6a5a1b7e10"
                     *         },
                     *         "action": "permission.set",
                     *         "target": {
                     *           "kind": "repository",
                     *           "id": 7,
                     *           "name": null
                     *         },
                     *         "details": {
                     *           "name": "ben",
                     *           "accountId": 2,
                     *           "type": "account",
                     *           "level": "Write",
                     *           "before": "Read"
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AuditEvent"][];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getServiceState: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operations"];
                };
            };
            /** @description The request is malformed or a field is wrong. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Valid credentials without permission, also for what is private to others. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request uses HTTP/1.0, and the response is too long for it. */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unexpected server error. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Temporarily unavailable; try again with exponential backoff. */
            503: {
                headers: {
                    /** @description Seconds after which the request may succeed. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
