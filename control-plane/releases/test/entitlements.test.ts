/**
 * What a tier entitles to: its products, those of the tiers below, everything they need, and the platform.
 */
import t from 'tap';
import { entry } from '../../test/release.ts';
import { named } from '../../test/stand.ts';
import { entitledPackages } from '../entitlements.ts';

t.test('tiers build on each other, and dependencies follow their packages', async (t) => {
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
  const names = (...short: string[]) => [...short, 'runtime'].map(named);
  t.strictSame(entitledPackages(packages, 'basic'), names('a', 'b', 'c', 'd'), 'over all tiers, and round a circle');
  t.strictSame(entitledPackages(packages, 'growth'), names('a', 'b', 'c', 'd', 'e'));
  t.strictSame(entitledPackages(packages, 'enterprise'), names('a', 'b', 'c', 'd', 'e', 'f'));
  t.strictSame(entitledPackages([], 'enterprise'), []);
});
