/**
 * The routes that belong to no package: health, metrics, the document and the page that shows it.
 */
import type { Database } from '../db/database.ts';
import { type Migration, pendingMigrations } from '../db/migrations.ts';
import type { PreparedBody } from '../http/prepared.ts';
import type { Route } from '../http/route.ts';
import { serviceRoutes } from '../http/service-routes.ts';
import { vendor } from '../vendor.ts';
import type { BoxServices } from './services.ts';

export interface EngineState {
  database: Database;
  tier: string;
  migrations: readonly Migration[];
  /** True once the box has been told to stop: it serves what is under way and asks for no more. */
  isDraining(): boolean;
  /** The metrics' text. */
  metrics(): Promise<string>;
  /** The document's text. */
  document(): Promise<PreparedBody>;
  /** The page that shows it. */
  page(): Promise<string>;
}

export function engineRoutes(state: EngineState): Route<BoxServices>[] {
  const { database, tier, migrations, isDraining, metrics, document, page } = state;
  return serviceRoutes<BoxServices>({
    name: 'box',
    about: { version: vendor.version, tier },
    pendingMigrations: () => pendingMigrations(database.knex, migrations),
    isDraining,
    metrics,
    metricsReaders: ['metrics', 'operator'],
    document,
    page,
  });
}
