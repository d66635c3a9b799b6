/** Code to mutate, and the unit tests that must kill the mutants. */
export interface Room {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
}

const statements = 'test/unit/query/{statements,fingerprints}.test.ts';

export const rooms: Readonly<Record<string, Room>> = {
  csv: { mutate: ['src/csv/**/*.ts'], tests: ['test/unit/csv/**/*.test.ts'] },
  filter: {
    mutate: ['src/query/filter/**/*.ts'],
    tests: ['test/unit/query/filter/**/*.test.ts', statements],
  },
  apply: { mutate: ['src/query/apply/**/*.ts'], tests: ['test/unit/query/apply/**/*.test.ts', statements] },
  rows: {
    mutate: ['src/rows/{place,position,patches,source,spans,slots,homes,pair,pair-rows,pair-side}.ts'],
    tests: ['test/unit/rows/**/*.test.ts', statements],
  },
  permissions: {
    mutate: ['src/model/permission.ts', 'src/catalog/{refusal,key-rights}.ts'],
    tests: ['test/unit/model/permission.test.ts', 'test/unit/catalog/access.test.ts'],
  },
  model: { mutate: ['src/model/**/*.ts'], tests: ['test/unit/model/**/*.test.ts'] },
};
