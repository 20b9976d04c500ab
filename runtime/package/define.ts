/**
 * What a package is to a box. Its name, version, tier and dependencies stand in its package.json, its migrations in
 * its `migrations/` folder; the rest is said here.
 */

import type { Job } from '../background/job.ts';
import type { BoxServices } from '../box/services.ts';
import type { EventDefinition } from '../events/event.ts';
import type { Subscriber } from '../events/subscriber.ts';
import type { Contribution } from '../extension/extension.ts';
import type { Route } from '../http/route.ts';
import type { PackageSettings } from './settings.ts';

export interface PackageDefinition {
  routes: readonly Route<BoxServices>[];
  /** Every event the package writes. */
  events?: readonly EventDefinition[];
  /** What it does when something has happened, here or in packages it depends on. */
  subscribers?: readonly Subscriber[];
  /** What it does every so often. */
  jobs?: readonly Job[];
  /** Tables that belong to the box and not to a tenant: the few that are exempt from carrying `tenant_id`. */
  boxTables?: readonly string[];
  /** Contributions to extension points of the engine and of packages this one depends on. */
  extends?: readonly Contribution[];
  /** What it reads of the environment. */
  settings?: PackageSettings;
}

const mark = Symbol.for('package-definition');

/**
 * Declares a package: the default export of its index.ts.
 * @example export default definePackage({ routes: [listProducts, readProduct], events: [productUpdated] });
 */
export function definePackage(definition: PackageDefinition): PackageDefinition {
  return Object.freeze({ ...definition, [mark]: true });
}

/** True for what definePackage made, also by another copy of the engine. */
export function isPackageDefinition(value: unknown): value is PackageDefinition {
  return typeof value === 'object' && value !== null && mark in value;
}
