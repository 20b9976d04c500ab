/**
 * Entitlements of a tier: its products, those of the tiers below, their dependencies, and the platform packages.
 */
import { packageName } from '@carton/runtime/service';
import t from 'tap';
import { entry } from '../../test/release.ts';

import { entitledPackages, explainEntitlements } from '../entitlements.ts';

t.test('a tier includes the tiers below and the dependencies of its products', async (t) => {
  const packages = [
    entry('runtime', 'platform', null),
    entry('lens-linux-x64', 'library', null),
    entry('f', 'product', 'enterprise'),
    entry('a', 'product', 'basic', ['runtime', 'lens-linux-x64']),
    entry('b', 'product', 'basic', ['a', 'c']),
    entry('c', 'product', 'growth', ['d']),
    entry('d', 'product', 'enterprise', ['b']),
    entry('e', 'product', 'growth'),
  ];
  const names = (...short: string[]) => [...short, 'runtime'].map(packageName);
  t.strictSame(
    entitledPackages(packages, 'basic'),
    names('a', 'b', 'c', 'd'),
    'dependencies of other tiers, and circular ones',
  );
  t.strictSame(entitledPackages(packages, 'growth'), names('a', 'b', 'c', 'd', 'e'));
  t.strictSame(entitledPackages(packages, 'enterprise'), names('a', 'b', 'c', 'd', 'e', 'f'));
  t.strictSame(entitledPackages([], 'enterprise'), []);
});

t.test('each package has its reason, and the reasons have the packages that are entitled', async (t) => {
  const packages = [
    entry('runtime', 'platform', null, ['lens-linux-x64']),
    entry('lens-linux-x64', 'library', null),
    entry('a', 'product', 'basic', ['b', 'runtime', 'lens-linux-x64']),
    entry('b', 'product', 'growth', ['c']),
    entry('c', 'product', 'enterprise', ['a', 'b']),
    entry('d', 'product', 'growth', ['b']),
    entry('e', 'product', 'enterprise', ['d']),
  ];
  const reasons = (tier: 'basic' | 'growth' | 'enterprise') =>
    explainEntitlements(packages, tier).map(({ name, by, tier, neededBy }) => [name, by, tier, neededBy]);
  const [a, b, c, d, e, runtime] = ['a', 'b', 'c', 'd', 'e', 'runtime'].map(packageName);
  t.strictSame(reasons('basic'), [
    [a, 'tier', 'basic', [c]],
    [b, 'dependency', 'growth', [a, c]],
    [c, 'dependency', 'enterprise', [b]],
    [runtime, 'platform', null, []],
  ]);
  t.strictSame(reasons('growth'), [
    [a, 'tier', 'basic', [c]],
    [b, 'tier', 'growth', [a, c, d]],
    [c, 'dependency', 'enterprise', [b]],
    [d, 'tier', 'growth', []],
    [runtime, 'platform', null, []],
  ]);
  t.strictSame(
    reasons('enterprise').map(([name, by]) => [name, by]),
    [...[a, b, c, d, e].map((name) => [name, 'tier']), [runtime, 'platform']],
  );
  for (const tier of ['basic', 'growth', 'enterprise'] as const) {
    t.strictSame(
      explainEntitlements(packages, tier).map(({ name }) => name),
      entitledPackages(packages, tier),
    );
    t.strictSame(explainEntitlements([...packages].reverse(), tier), explainEntitlements(packages, tier));
  }
});
