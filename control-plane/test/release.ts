/**
 * A small release for tests: products of each tier that need each other, the platform, and a library.
 */
import { createHash } from 'node:crypto';
import { packageName as named, type Tier } from '@carton/runtime/service';
import type { PublishRelease, ReleasedPackage } from '../releases/schemas.ts';

/** An entry of a release. Dependencies are `name range`, short names. */
export function entry(
  name: string,
  kind: ReleasedPackage['kind'],
  tier: Tier | null,
  dependencies: string[] = [],
  more: Partial<ReleasedPackage> = {},
): ReleasedPackage {
  return {
    name: named(name),
    kind,
    tier,
    version: '1.0.0',
    integrity: `sha512-${createHash('sha512').update(name).digest('base64')}`,
    description: `About ${name}`,
    dependencies: dependencies.map((dependency) => {
      const [needed = '', range = '^1.0.0', optional] = dependency.split(' ');
      return { name: named(needed), range, optional: optional === 'optional' };
    }),
    routes: [],
    migrations: [],
    ...more,
  };
}

const readStore = { method: 'get' as const, path: '/store', operationId: 'readStore', access: ['public'] };

/** What every test's control plane has published on the stable channel. */
export const firstRelease: PublishRelease = {
  version: '1.0.0',
  channel: 'stable',
  packages: [
    entry('runtime', 'platform', null, [
      'postgresql-linux-x64 1.0.0 optional',
      'postgresql-linux-arm64 1.0.0 optional',
    ]),
    entry('postgresql-linux-x64', 'platform', null),
    entry('core', 'product', 'basic', ['runtime'], { routes: [readStore], migrations: ['20260101000000_core.js'] }),
    entry('cart', 'product', 'basic', ['core', 'runtime']),
    entry('collection', 'product', 'growth', ['cart', 'core', 'lens-linux-x64 1.0.0 optional']),
    entry('audit', 'product', 'enterprise', ['core']),
    entry('lens-linux-x64', 'library', null),
  ],
};
