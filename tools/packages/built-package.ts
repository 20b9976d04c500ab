// What a build says of each package.

import type { Tier } from '../../runtime/box/tier.ts';

export type BuiltPackage = {
  name: string;
  version: string;
  description: string;
  /** Sold by tier; needed by every box (the runtime, the embedded PostgreSQL); or native code of another package. */
  kind: 'product' | 'platform' | 'library';
  /** Null for other kinds than products. */
  tier: Tier | null;
  /** Absolute path of the tarball. */
  tarball: string;
  /** In npm's format: `sha512-…`. */
  integrity: string;
  /** The vendor's packages that it depends on; optional ones are for one platform each. */
  dependencies: PackageDependency[];
};

export type PackageDependency = { name: string; range: string; optional: boolean };
