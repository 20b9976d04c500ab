/**
 * Further releases of the vendor of a journey: each has one more migration than the one before.
 */
import { makeRelease, publishPackages, publishRelease, readContents } from '../../tools/packages/index.ts';
import { coreWithMigrations, migrationOf } from '../support/next-core.ts';
import type { Stage } from '../support/rig.ts';
import type { Vendor } from '../support/vendor.ts';

export interface Releases {
  /** Publishes the next one. @returns its version */
  publish(migration: 'additive' | 'not additive'): Promise<string>;
}

export async function nextReleases(stage: Stage, vendor: Vendor): Promise<Releases> {
  const contents = await readContents();
  const { packages: built, controlPlane, registries, secrets } = vendor;
  const additive = new Set<number>();
  let number = 0;
  return {
    async publish(migration) {
      number += 1;
      if (migration === 'additive') additive.add(number);
      const next = await coreWithMigrations(stage.folder, built, number, additive);
      const { routes = [], migrations = [] } = contents.get(next.name) ?? {};
      contents.set(next.name, { routes, migrations: [...migrations, migrationOf(number)] });
      const packages = built.map((each) => (each.name === next.name ? next : each));
      const publication = { registryUrl: registries[0].url, publishSecret: secrets.publish, log: () => {} };
      await publishPackages({ ...publication, packages: [next] });
      const release = makeRelease(next.version, 'stable', packages, contents);
      await publishRelease(controlPlane.url, secrets.publish, release);
      return next.version;
    },
  };
}
