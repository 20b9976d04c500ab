/**
 * The definition of a package. Its name, version, tier and dependencies are in its package.json, its migrations in its
 * `migrations/` folder; the rest is declared here.
 */
import type { Logger } from 'pino';
import type { Job } from '../background/job.ts';
import type { BoxServices } from '../box/services.ts';
import type { EventDefinition } from '../events/event.ts';
import type { Subscriber } from '../events/subscriber.ts';
import type { Contribution, HasExtensions } from '../extension/extension.ts';
import type { Route } from '../http/route.ts';
import type { PackageSettings } from './settings.ts';

export interface PackageDefinition {
  routes: readonly Route<BoxServices>[];
  /** Every event that the package publishes. */
  events?: readonly EventDefinition[];
  /** Subscribers to its own events and to those of packages it depends on. */
  subscribers?: readonly Subscriber[];
  /** Scheduled work. */
  jobs?: readonly Job[];
  /** Tables that belong to the box rather than to a tenant: only these may lack `tenant_id`. */
  boxTables?: readonly string[];
  /** Contributions to extension points of the engine and of packages this one depends on. */
  extends?: readonly Contribution[];
  /** Settings that it reads from the environment. */
  settings?: PackageSettings;
  /** Called at the start of a box, after the settings are read: for warnings about them. */
  onStart?(box: HasExtensions & { readonly log: Logger }): void;
}

const mark = Symbol.for('package-definition');

/**
 * Declares a package: the default export of its index.ts.
 * @example export default definePackage({ routes: [listProducts, readProduct], events: [productUpdated] });
 */
export function definePackage(definition: PackageDefinition): PackageDefinition {
  return Object.freeze({ ...definition, [mark]: true });
}

/** True for a result of definePackage, also for one of another copy of the engine. */
export function isPackageDefinition(value: unknown): value is PackageDefinition {
  return typeof value === 'object' && value !== null && mark in value;
}
