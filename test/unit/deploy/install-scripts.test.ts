/** npm warns of install scripts that are not allowed, and runs those that are. */
import { expect, it } from 'vitest';
import { projectFile } from './compose-file.js';

interface LockedPackage {
  readonly name?: string;
  readonly hasInstallScript?: boolean;
  readonly deprecated?: string;
}

const { packages } = JSON.parse(projectFile('package-lock.json')) as {
  packages: Record<string, LockedPackage>;
};
const { allowScripts } = JSON.parse(projectFile('package.json')) as { allowScripts: Record<string, boolean> };
const nameOf = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

it('exactly the packages with install scripts are allowed to run them, and no package is deprecated', () => {
  const found = Object.entries(packages);
  const withScript = found
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => nameOf(path));
  expect(withScript.sort()).toEqual(Object.keys(allowScripts).sort());
  expect(found.filter(([, { deprecated }]) => deprecated !== undefined)).toEqual([]);
});

it('the usage tracker of a dependency is replaced by an empty package', () => {
  expect(packages['node_modules/@scarf/scarf']?.name).toBe('@favware/skip-dependency');
});
