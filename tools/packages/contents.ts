/**
 * The contents of this checkout's packages, read from their code: the routes that a box mounts and the migrations that it
 * applies. A release lists them for each package.
 */
import { join } from 'node:path';
import type { ReleasedPackage } from '../../control-plane/releases/schemas.ts';
import { routesOf } from '../../runtime/box/access.ts';
import { collectMigrations } from '../../runtime/db/migrations.ts';
import { loadPackages } from '../../runtime/package/load.ts';
import { readWorkspace, repository } from './sources.ts';

export type PackageContents = Pick<ReleasedPackage, 'routes' | 'migrations'>;

/**
 * Reads the contents of all packages, by full name.
 * @throws Error that names a package that cannot be loaded
 */
export async function readContents(): Promise<Map<string, PackageContents>> {
  const { packages } = await readWorkspace(repository);
  const names = packages.map(({ manifest }) => manifest.name);
  const contents = new Map<string, PackageContents>();
  for (const loaded of await loadPackages(names, join(repository, 'package.json'))) {
    const routes = routesOf(loaded).map(({ declaration }) => {
      const { method, path, operationId, access, permission, beyond } = declaration;
      const rest = { ...(permission && { permission }), ...(beyond && { beyond }) };
      return { method, path, operationId, access: [access].flat(), ...rest };
    });
    const migrations = (await collectMigrations([loaded])).map(({ file }) => file);
    contents.set(loaded.fullName, { routes, migrations });
  }
  return contents;
}
