/** Groups of routes, in the order in which the documents show them. */
const forUsers = [
  ['Account', 'The caller: keys, plan and use, sessions of the web app.'],
  ['Repositories', 'Containers of datasets, with a privacy setting and an owner.'],
  ['Datasets', 'Tables in the catalog: create, describe, find, clone, delete.'],
  ['Columns', 'Columns of a dataset: names, roles, merges.'],
  ['Data', 'Rows: uploads and their processes, downloads, summaries, links to files.'],
  ['Read links', 'Permanent addresses that answer one saved question, for tools that cannot send headers.'],
  ['OData', 'Rows for Excel, Power BI, Tableau and other clients of OData 4.0.'],
  ['Versions', 'States of a dataset: list, label, restore, compare, retention, revisions.'],
  ['Sharing', 'Who may do what with a repository or a dataset.'],
  ['Teams', 'Groups of accounts, and invitations to them.'],
  ['Providers', 'Public data providers: list, search, browse.'],
  ['Series', 'Time series of providers: read them, keep them as datasets.'],
  ['User keys', 'Keys at providers that an account stores.'],
  ['Feed', 'One provider by symbol, as a table.'],
] as const;

const forOperators = [
  ['Operations', 'For operators only: state, uploads of all accounts, dead letters, audit trail.'],
] as const;

const described = (list: readonly (readonly [string, string])[]) =>
  list.map(([name, description]) => ({ name, description }));

export const tags = [...described(forUsers), ...described(forOperators)];

/** Groups of tags, with which some documentation tools separate the routes of operators. */
export const tagGroups = [
  { name: 'For users', tags: forUsers.map(([name]) => name) },
  { name: 'For operators', tags: forOperators.map(([name]) => name) },
];

export const isForOperators = ([tag]: readonly string[]): boolean =>
  forOperators.some(([name]) => name === tag);
