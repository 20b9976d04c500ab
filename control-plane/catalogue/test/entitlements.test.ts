/**
 * What a tier entitles to: its packages, those of the tiers below, and everything they need.
 */
import { type Tier, tiers } from '@carton/runtime/service';
import t from 'tap';
import { type Catalogue, type CataloguePackage, catalogue } from '../catalogue.ts';
import { entitledPackages, packagesOfTier, platformPackages } from '../entitlements.ts';

const entry = (name: string, tier: Tier, ...dependencies: string[]): CataloguePackage => ({
  name,
  tier,
  version: '1.0.0',
  description: name,
  dependencies,
  routes: [],
  migrations: [],
});
const withPlatform = (...names: string[]) => [...names, ...platformPackages].sort();

t.test('tiers build on each other, and dependencies follow their packages', async (t) => {
  const made: Catalogue = {
    packages: [
      entry('a', 'basic'),
      entry('b', 'basic', 'a', 'c'),
      entry('c', 'growth', 'd'),
      entry('d', 'enterprise', 'b'),
      entry('e', 'growth'),
      entry('f', 'enterprise'),
    ],
  };
  t.strictSame(packagesOfTier(made, 'basic'), withPlatform('a', 'b', 'c', 'd'), 'over all tiers, and round a circle');
  t.strictSame(packagesOfTier(made, 'growth'), withPlatform('a', 'b', 'c', 'd', 'e'));
  t.strictSame(packagesOfTier(made, 'enterprise'), withPlatform('a', 'b', 'c', 'd', 'e', 'f'));
  t.throws(() => packagesOfTier({ packages: [entry('a', 'basic', 'lost')] }, 'basic'), { message: /^lost is needed/ });
});

t.test('the real tiers are closed over dependencies, sorted, and each holds the one below', async (t) => {
  const byName = new Map(catalogue.packages.map((found) => [found.name, found]));
  for (const [rank, tier] of tiers.entries()) {
    const names = entitledPackages(tier);
    t.strictSame(names, [...new Set(names)].sort(), tier);
    t.ok(
      platformPackages.every((name) => names.includes(name)),
      tier,
    );
    for (const name of names) {
      for (const needed of byName.get(name)?.dependencies ?? [])
        t.ok(names.includes(needed), `${name} needs ${needed}`);
    }
    const ofTier = catalogue.packages.filter((found) => tiers.indexOf(found.tier) <= rank);
    t.ok(
      ofTier.every(({ name }) => names.includes(name)),
      tier,
    );
    t.equal(names.length, ofTier.length + platformPackages.length, `nothing above ${tier} is given away`);
  }
});
