/**
 * Expected status of each endpoint for each kind of caller.
 *
 * The subject is a dataset with data, in a repository that belongs to a team; `owner` created both. `read` to
 * `admin` have that level on the repository by a grant, `member` and `tadmin` are in its team, `stranger` and
 * `operator` have nothing. `ro` is a read-only key of the owner, `other` a key of the owner that is limited to
 * another repository, `revoked` a revoked key of the owner; `none` sends no key.
 *
 * No upstream is called: the provider does not exist (404), the dataset is not made of series (404), and the feed needs
 * a key that is not stored (403).
 *
 * Deletes and restores target a subject without data, so an allowed caller gets 404.
 *
 * A row applies to private and public repositories, unless there is one for each.
 */
export const callers = [
  'none',
  'stranger',
  'read',
  'clone',
  'write',
  'admin',
  'owner',
  'member',
  'tadmin',
  'operator',
  'ro',
  'other',
  'revoked',
] as const;
export type CallerName = (typeof callers)[number];

export type Privacy = 'Private' | 'Public';

export const accessTable = `
                                                               non str rea clo wri adm own mem tad ope ro  oth rev
GET /account                                                   401 200 200 200 200 200 200 200 200 200 200 200 401
PUT /account                                                   401 200 200 200 200 200 200 200 200 200 403 403 401
DELETE /account                                                401 400 400 400 400 400 400 400 400 400 403 403 401
GET /account/export                                            401 200 200 200 200 200 200 200 200 200 403 403 401
GET /account/transfers                                         401 200 200 200 200 200 200 200 200 200 200 403 401
PUT /account/transfers/{id}                                    401 404 404 404 404 404 404 404 404 404 403 403 401
DELETE /account/transfers/{id}                                 401 404 404 404 404 404 404 404 404 404 403 403 401
GET /account/keys                                              401 200 200 200 200 200 200 200 200 200 200 200 401
POST /account/keys                                             401 201 201 201 201 201 201 201 201 201 403 403 401
GET /account/keys/{id}/usage                                   401 404 404 404 404 404 200 404 404 404 200 404 401
DELETE /account/keys/{id}                                      401 404 404 404 404 404 204 404 404 404 403 403 401

GET /search                                                    200 200 200 200 200 200 200 200 200 200 200 200 401
GET /session                                                   200 200 200 200 200 200 200 200 200 200 200 200 401
POST /session                                                  401 200 200 200 200 200 200 200 200 200 200 200 401
DELETE /session                                                204 204 204 204 204 204 204 204 204 204 204 204 204

GET /account/invitations                                       401 200 200 200 200 200 200 200 200 200 200 403 401
PUT /account/invitations/{team}                                401 404 404 404 404 404 200 200 200 404 403 403 401
DELETE /account/invitations/{team}                             401 404 404 404 404 404 404 404 404 404 403 403 401

GET /repositories                                              401 200 200 200 200 200 200 200 200 200 200 200 401
POST /repositories                                             401 201 201 201 201 201 201 201 201 201 403 403 401
GET /repositories/home                                         401 200 200 200 200 200 200 200 200 200 200 403 401
GET /repositories/default                                      401 200 200 200 200 200 200 200 200 200 200 403 401
GET /repositories/{id} Private                                 401 403 200 200 200 200 200 200 200 403 200 403 401
GET /repositories/{id} Public                                  200 200 200 200 200 200 200 200 200 200 200 403 401
PUT /repositories/{id} Private                                 401 404 403 403 403 403 200 403 403 404 403 403 401
PUT /repositories/{id} Public                                  401 403 403 403 403 403 200 403 403 403 403 403 401
DELETE /repositories/{id}                                      401 403 403 403 403 403 204 403 403 403 403 403 401
PUT /repositories/{id}/transfer                                401 403 403 403 403 403 200 403 403 403 403 403 401
DELETE /repositories/{id}/transfer                             401 403 403 403 403 403 404 403 403 403 403 403 401
GET /repositories/{id}/permissions Private                     401 403 403 403 403 200 200 403 200 403 200 403 401
GET /repositories/{id}/permissions Public                      401 403 403 403 403 200 200 403 200 403 200 403 401
PUT /repositories/{id}/permissions/{name}                      401 403 403 403 403 200 200 403 200 403 403 403 401
DELETE /repositories/{id}/permissions/{name}                   401 403 403 403 403 204 204 403 204 403 403 403 401

GET /datasets                                                  401 200 200 200 200 200 200 200 200 200 200 200 401
POST /datasets                                                 401 403 403 403 201 201 201 201 201 403 403 403 401
GET /datasets/{id} Private                                     401 403 200 200 200 200 200 200 200 403 200 403 401
GET /datasets/{id} Public                                      200 200 200 200 200 200 200 200 200 200 200 403 401
PUT /datasets/{id}                                             401 403 403 403 200 200 200 200 200 403 403 403 401
DELETE /datasets/{id}                                          401 403 403 403 204 204 204 204 204 403 403 403 401
POST /datasets/{id}/clone Private                              401 403 403 201 201 201 201 201 201 403 403 403 401
POST /datasets/{id}/clone Public                               401 403 403 201 201 201 201 201 201 403 403 403 401
GET /datasets/{id}/permissions Private                         401 403 403 403 403 200 200 403 200 403 200 403 401
GET /datasets/{id}/permissions Public                          401 403 403 403 403 200 200 403 200 403 200 403 401
PUT /datasets/{id}/permissions/{name}                          401 403 403 403 403 200 200 403 200 403 403 403 401
DELETE /datasets/{id}/permissions/{name}                       401 403 403 403 403 204 204 403 204 403 403 403 401
GET /datasets/{id}/revisions Private                           401 403 200 200 200 200 200 200 200 403 200 403 401
GET /datasets/{id}/revisions Public                            200 200 200 200 200 200 200 200 200 200 200 403 401
GET /datasets/{id}/summary Private                             401 403 200 200 200 200 200 200 200 403 200 403 401
GET /datasets/{id}/summary Public                              200 200 200 200 200 200 200 200 200 200 200 403 401
GET /datasets/{id}/columns/{column}/values Private             401 403 200 200 200 200 200 200 200 403 200 403 401
GET /datasets/{id}/columns/{column}/values Public              200 200 200 200 200 200 200 200 200 200 200 403 401
GET /datasets/{dataset_id}/columns Private                     401 403 200 200 200 200 200 200 200 403 200 403 401
GET /datasets/{dataset_id}/columns Public                      200 200 200 200 200 200 200 200 200 200 200 403 401
PATCH /datasets/{dataset_id}/columns/{column_id}               401 403 403 403 200 200 200 200 200 403 403 403 401
DELETE /datasets/{dataset_id}/columns/{column_id}              401 403 403 403 404 404 404 404 404 403 403 403 401

PUT /datasets/{id}/data                                        401 403 403 403 201 201 201 201 201 403 403 403 401
GET /datasets/{id}/processes/{processId}                       401 403 403 403 200 200 200 200 200 403 200 403 401
POST /datasets/{id}/processes                                  401 403 403 403 201 201 201 201 201 403 403 403 401
GET /datasets/{id}/processes                                   401 403 403 403 200 200 200 200 200 403 200 403 401
GET /datasets/{id}/processes/{processId}/events                401 403 403 403 200 200 200 200 200 403 200 403 401
GET /datasets/{id}/processes/{processId}/rejects               401 403 403 403 200 200 200 200 200 403 200 403 401
GET /datasets/{id}/versions Private                            401 403 200 200 200 200 200 200 200 403 200 403 401
GET /datasets/{id}/versions Public                             200 200 200 200 200 200 200 200 200 200 200 403 401
GET /datasets/{id}/versions/{versionId} Private                401 403 200 200 200 200 200 200 200 403 200 403 401
GET /datasets/{id}/versions/{versionId} Public                 200 200 200 200 200 200 200 200 200 200 200 403 401
GET /datasets/{id}/versions/{from}/diff/{to} Private           401 403 200 200 200 200 200 200 200 403 200 403 401
GET /datasets/{id}/versions/{from}/diff/{to} Public            200 200 200 200 200 200 200 200 200 200 200 403 401
GET /datasets/{id}/processes/{processId}/diff                  401 403 403 403 404 404 404 404 404 403 404 403 401
GET /datasets/{id}/processes/{processId}/diff/rows             401 403 403 403 404 404 404 404 404 403 404 403 401
DELETE /datasets/{id}/processes/{processId}                    401 403 403 403 404 404 404 404 404 403 403 403 401
GET /datasets/{id}/versions/{from}/diff/{to}/rows Private      401 403 200 200 200 200 200 200 200 403 200 403 401
GET /datasets/{id}/versions/{from}/diff/{to}/rows Public       200 200 200 200 200 200 200 200 200 200 200 403 401
GET /datasets/{id}/retention Private                           401 403 200 200 200 200 200 200 200 403 200 403 401
GET /datasets/{id}/retention Public                            200 200 200 200 200 200 200 200 200 200 200 403 401
PUT /datasets/{id}/retention                                   401 403 403 403 403 200 200 403 200 403 403 403 401
PUT /datasets/{id}/versions/{versionId}                        401 403 403 403 200 200 200 200 200 403 403 403 401
POST /datasets/{id}/versions/{versionId}/restore               401 403 403 403 404 404 404 404 404 403 403 403 401
DELETE /datasets/{id}/versions/{versionId}                     401 403 403 403 404 404 404 404 404 403 403 403 401
GET /datasets/{id}/data Private                                401 403 302 302 302 302 302 302 302 403 302 403 401
GET /datasets/{id}/data Public                                 302 302 302 302 302 302 302 302 302 302 302 403 401
POST /datasets/{id}/query Private                              401 403 200 200 200 200 200 200 200 403 200 403 401
POST /datasets/{id}/query Public                               200 200 200 200 200 200 200 200 200 200 200 403 401
POST /datasets/{id}/read-links Private                         401 403 201 201 201 201 201 201 201 403 403 403 401
POST /datasets/{id}/read-links Public                          401 201 201 201 201 201 201 201 201 201 403 403 401
GET /account/read-links                                        401 200 200 200 200 200 200 200 200 200 200 200 401
PATCH /account/read-links/{id}                                 401 404 404 404 404 404 200 404 404 404 403 404 401
DELETE /account/read-links/{id}                                401 404 404 404 404 404 204 404 404 404 403 404 401
GET /links/{token}                                             403 403 403 403 403 403 403 403 403 403 403 403 403
GET /odata/datasets/{id} Private                               401 403 200 200 200 200 200 200 200 403 200 403 401
GET /odata/datasets/{id} Public                                200 200 200 200 200 200 200 200 200 200 200 403 401
GET /odata/datasets/{id}/{resource} Private                    401 403 200 200 200 200 200 200 200 403 200 403 401
GET /odata/datasets/{id}/{resource} Public                     200 200 200 200 200 200 200 200 200 200 200 403 401
GET /odata/datasets/{id}/{resource}/{part} Private             401 403 200 200 200 200 200 200 200 403 200 403 401
GET /odata/datasets/{id}/{resource}/{part} Public              200 200 200 200 200 200 200 200 200 200 200 403 401
POST /odata/datasets/{id}/$batch Private                       401 403 200 200 200 200 200 200 200 403 200 403 401
POST /odata/datasets/{id}/$batch Public                        200 200 200 200 200 200 200 200 200 200 200 403 401
GET /odata/repositories/{id} Private                           401 403 200 200 200 200 200 200 200 403 200 403 401
GET /odata/repositories/{id} Public                            200 200 200 200 200 200 200 200 200 200 200 403 401
GET /odata/repositories/{id}/{resource} Private                401 403 200 200 200 200 200 200 200 403 200 403 401
GET /odata/repositories/{id}/{resource} Public                 200 200 200 200 200 200 200 200 200 200 200 403 401
GET /odata/repositories/{id}/{resource}/{part} Private         401 403 200 200 200 200 200 200 200 403 200 403 401
GET /odata/repositories/{id}/{resource}/{part} Public          200 200 200 200 200 200 200 200 200 200 200 403 401
POST /odata/repositories/{id}/$batch Private                   401 403 200 200 200 200 200 200 200 403 200 403 401
POST /odata/repositories/{id}/$batch Public                    200 200 200 200 200 200 200 200 200 200 200 403 401
GET /datasets/{id}/open/{kind} Private                         401 403 200 200 200 200 200 200 200 403 200 403 401
GET /datasets/{id}/open/{kind} Public                          200 200 200 200 200 200 200 200 200 200 200 403 401
GET /datasets/{id}/data.csv Private                            401 403 200 200 200 200 200 200 200 403 200 403 401
GET /datasets/{id}/data.csv Public                             200 200 200 200 200 200 200 200 200 200 200 403 401
GET /datasets/{id}/data.parquet Private                        401 403 200 200 200 200 200 200 200 403 200 403 401
GET /datasets/{id}/data.parquet Public                         200 200 200 200 200 200 200 200 200 200 200 403 401
GET /links/{token}/{name}                                      403 403 403 403 403 403 403 403 403 403 403 403 403

GET /teams                                                     401 200 200 200 200 200 200 200 200 200 200 403 401
POST /teams                                                    401 201 201 201 201 201 201 201 201 201 403 403 401
GET /teams/{name}                                              401 403 403 403 403 403 200 200 200 403 200 403 401
PUT /teams/{name}                                              401 403 403 403 403 403 200 403 200 403 403 403 401
DELETE /teams/{name}                                           401 403 403 403 403 403 204 403 204 403 403 403 401
PUT /teams/{name}/members/{account}                            401 403 403 403 403 403 200 403 200 403 403 403 401
DELETE /teams/{name}/members/{account}                         401 403 403 403 403 403 204 403 204 403 403 403 401

GET /providers                                                 200 200 200 200 200 200 200 200 200 200 200 200 401
GET /providers/match                                           200 200 200 200 200 200 200 200 200 200 200 200 401
GET /providers/search                                          200 200 200 200 200 200 200 200 200 200 200 200 401
GET /providers/{slug}                                          404 404 404 404 404 404 404 404 404 404 404 404 401
GET /providers/{slug}/quota                                    404 404 404 404 404 404 404 404 404 404 404 404 401
GET /providers/{slug}/search                                   404 404 404 404 404 404 404 404 404 404 404 404 401
GET /providers/{slug}/browse                                   404 404 404 404 404 404 404 404 404 404 404 404 401
GET /providers/{slug}/series/{seriesId}                        404 404 404 404 404 404 404 404 404 404 404 404 401
POST /providers/{slug}/series/{seriesId}/data                  404 404 404 404 404 404 404 404 404 404 404 404 401
POST /providers/{slug}/series/{seriesId}/dataset               401 403 403 403 404 404 404 404 404 403 403 403 401
POST /providers/{slug}/series/{seriesId}/panel                 404 404 404 404 404 404 404 404 404 404 404 404 401
PUT /datasets/{id}/refresh                                     401 403 403 403 404 404 404 404 404 403 403 403 401
POST /datasets/{id}/refresh                                    401 403 403 403 404 404 404 404 404 403 403 403 401
GET /user-keys                                                 401 200 200 200 200 200 200 200 200 200 200 403 401
PUT /user-keys/{slug}                                          401 404 404 404 404 404 404 404 404 404 403 403 401
GET /feed/search/{query}                                       200 200 200 200 200 200 200 200 200 200 200 200 401
GET /ops/audit                                                 401 403 403 403 403 403 403 403 403 200 403 403 401
GET /ops                                                       401 403 403 403 403 403 403 403 403 200 403 403 401
GET /ops/samples                                               401 403 403 403 403 403 403 403 403 200 403 403 401
GET /ops/uploads                                               401 403 403 403 403 403 403 403 403 200 403 403 401
GET /ops/uploads/{processId}                                   401 403 403 403 403 403 403 403 403 200 403 403 401
GET /ops/uploads/{processId}/chunks                            401 403 403 403 403 403 403 403 403 200 403 403 401
POST /ops/uploads/{processId}/replay                           401 403 403 403 403 403 403 403 403 409 403 403 401
GET /ops/dead-letters                                          401 403 403 403 403 403 403 403 403 200 403 403 401
GET /ops/dead-letters/{id}                                     401 403 403 403 403 403 403 403 403 404 403 403 401
POST /ops/dead-letters/{id}/replay                             401 403 403 403 403 403 403 403 403 404 403 403 401
DELETE /ops/dead-letters/{id}                                  401 403 403 403 403 403 403 403 403 404 403 403 401
GET /ops/jobs                                                  401 403 403 403 403 403 403 403 403 200 403 403 401
POST /ops/jobs/{name}/run                                      401 403 403 403 403 403 403 403 403 404 403 403 401
GET /ops/stores                                                401 403 403 403 403 403 403 403 403 200 403 403 401
PUT /ops/consuming                                             401 403 403 403 403 403 403 403 403 200 403 403 401
GET /feed/{symbol}/data                                        403 403 403 403 403 403 403 403 403 403 403 403 401
`;

export interface AccessRow {
  /** `GET /datasets/{id}` */
  readonly operation: string;
  readonly privacy: Privacy;
  readonly expected: Readonly<Record<CallerName, number>>;
}

/** Parses the table. @throws Error at an invalid line. */
export const parseAccessTable = (text: string): AccessRow[] =>
  text
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
    .flatMap((line) => {
      const match = /^([A-Z]+ \S+)\s+(?:(Private|Public)\s+)?((?:\d{3}\s*){13})$/.exec(line.trim());
      if (match === null) throw new Error(`not a row: ${line}`);
      const [, operation = '', privacy, numbers = ''] = match;
      const statuses = numbers.trim().split(/\s+/).map(Number);
      const expected = Object.fromEntries(
        callers.map((caller, index) => [caller, statuses[index]]),
      ) as Record<CallerName, number>;
      const kinds: Privacy[] = privacy === undefined ? ['Private', 'Public'] : [privacy as Privacy];
      return kinds.map((kind) => ({ operation, privacy: kind, expected }));
    });
