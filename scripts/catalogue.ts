/**
 * Makes the package catalogue from the packages themselves: their manifests, the routes a box would mount of them,
 * and their migrations. `--check` compares it with the file instead, and exits 1 naming what differs.
 * Another file than the control plane's may be named as an argument.
 */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { Catalogue, CataloguePackage, CatalogueRoute } from '../control-plane/catalogue/catalogue.ts';
import { routesOf } from '../runtime/box/access.ts';
import { collectMigrations } from '../runtime/db/migrations.ts';
import { type LoadedPackage, loadPackages } from '../runtime/package/load.ts';
import { packagesOfTier, sourceRoot } from '../runtime/testing/packages.ts';

const named = process.argv.slice(2).find((argument) => argument.endsWith('.json'));
const file = named ?? fileURLToPath(new URL('../control-plane/catalogue/catalogue.json', import.meta.url));

/** The catalogue of the packages as they are now. @throws Error naming a package that cannot be loaded */
async function makeCatalogue(): Promise<Catalogue> {
  const packages = await loadPackages(packagesOfTier('enterprise'), sourceRoot);
  const described = await Promise.all(packages.map(describe));
  return { packages: described.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

async function describe(loaded: LoadedPackage): Promise<CataloguePackage> {
  const manifest = JSON.parse(await readFile(join(loaded.folder, 'package.json'), 'utf8'));
  const migrations = await collectMigrations([loaded]);
  return {
    name: loaded.fullName,
    tier: loaded.tier,
    version: loaded.version,
    description: manifest.description,
    dependencies: [...loaded.dependencies].sort(),
    routes: routesOf(loaded).map(({ declaration }) => {
      const { method, path, operationId, access, permission, beyond } = declaration;
      const rest = { ...(permission && { permission }), ...(beyond && { beyond }) };
      return { method, path, operationId, access: [access].flat(), ...rest };
    }),
    migrations: migrations.map((migration) => migration.file),
  };
}

/** What differs between two catalogues, one line each. */
function differences(kept: Catalogue, made: Catalogue): string[] {
  const names = [...new Set([...kept.packages, ...made.packages].map(({ name }) => name))].sort();
  return names.flatMap((name) => {
    const before = kept.packages.find((entry) => entry.name === name);
    const after = made.packages.find((entry) => entry.name === name);
    if (!before) return [`${name} is missing from the catalogue`];
    if (!after) return [`${name} is in the catalogue and no package`];
    const { routes: routesBefore, ...factsBefore } = before;
    const { routes: routesAfter, ...factsAfter } = after;
    const facts = Object.keys(factsAfter) as (keyof typeof factsAfter)[];
    return [
      ...facts
        .filter((fact) => !isDeepStrictEqual(factsBefore[fact], factsAfter[fact]))
        .map((fact) => `${name}: its ${fact} changed`),
      ...changedRoutes(routesBefore, routesAfter).map((line) => `${name}: ${line}`),
    ];
  });
}

function changedRoutes(before: readonly CatalogueRoute[], after: readonly CatalogueRoute[]): string[] {
  const say = ({ method, path }: CatalogueRoute) => `${method.toUpperCase()} ${path}`;
  const operations = [...new Set([...before, ...after].map(say))].sort();
  const lines = operations.flatMap((operation) => {
    const old = before.find((route) => say(route) === operation);
    const current = after.find((route) => say(route) === operation);
    if (!old) return [`${operation} is mounted and not in the catalogue`];
    if (!current) return [`${operation} is in the catalogue and not mounted`];
    return isDeepStrictEqual(old, current) ? [] : [`${operation} changed`];
  });
  return lines.length > 0 || isDeepStrictEqual(before, after) ? lines : ['its routes stand in another order'];
}

/** The contract's routes and those beyond them, in words. */
function counted({ packages }: Catalogue): string {
  const routes = packages.flatMap((entry) => entry.routes);
  const beyond = routes.filter((route) => route.beyond).length;
  return `${routes.length - beyond} routes${beyond > 0 ? ` and ${beyond} beyond the contract's` : ''}`;
}

/** The text as the formatter of the source tree would write it. */
function formatted(text: string): string {
  const formatter = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
  const words = [formatter, 'format', '--stdin-file-path=control-plane/catalogue/catalogue.json'];
  return execFileSync(process.execPath, words, { input: text, encoding: 'utf8', cwd: dirname(sourceRoot) });
}

try {
  const made = await makeCatalogue();
  const routes = counted(made);
  if (process.argv.includes('--check')) {
    const differing = differences(JSON.parse(await readFile(file, 'utf8')), made);
    if (differing.length > 0) {
      throw new Error(`the catalogue is not up to date; run npm run catalogue\n  ${differing.join('\n  ')}`);
    }
    process.stdout.write(`the catalogue is up to date: ${made.packages.length} packages, ${routes}\n`);
  } else {
    await writeFile(file, formatted(JSON.stringify(made, null, 2)));
    process.stdout.write(`wrote ${made.packages.length} packages, ${routes} to ${file}\n`);
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
