/**
 * Entitlements of a tier: its products, those of the tiers below, their dependencies, and the platform packages.
 */
import { packageName } from '@carton/runtime/service';
import t from 'tap';
import { entry } from '../../test/release.ts';

import { entitledPackages } from '../entitlements.ts';

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
