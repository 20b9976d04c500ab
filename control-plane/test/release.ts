/**
 * A small release for tests: products of each tier that depend on each other, platform packages, and a library.
 */
import { createHash } from 'node:crypto';
import { packageName, type Tier } from '@carton/runtime/service';
import type { PublishRelease, ReleasedPackage } from '../releases/schemas.ts';

/** A package of a release. Dependencies are `name`, `name range` or `name range optional`, with short names. */
export function entry(
  name: string,
  kind: ReleasedPackage['kind'],
  tier: Tier | null,
  dependencies: string[] = [],
  more: Partial<ReleasedPackage> = {},
): ReleasedPackage {
  return {
    name: packageName(name),
    kind,
    tier,
    version: '1.0.0',
    integrity: `sha512-${createHash('sha512').update(name).digest('base64')}`,
    description: `About ${name}`,
    dependencies: dependencies.map((dependency) => {
      const [dependencyName = '', range = '^1.0.0', optional] = dependency.split(' ');
      return { name: packageName(dependencyName), range, optional: optional === 'optional' };
    }),
    routes: [],
    migrations: [],
    ...more,
  };
}

const readStore = { method: 'get' as const, path: '/store', operationId: 'readStore', access: ['public'] };

/** The release that is published on the stable channel of every test's control plane. */
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
