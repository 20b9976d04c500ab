/**
 * The package catalogue: what every package is, holds and serves. `catalogue.json` is made from the packages
 * themselves by `npm run catalogue`, and `npm run check` compares the two.
 */
import type { Tier } from '@carton/runtime/service';
import generated from './catalogue.json' with { type: 'json' };

export interface CatalogueRoute {
  method: string;
  /** With parameters as `:name`. */
  path: string;
  operationId: string;
  /** Who may call: any one of these. */
  access: string[];
  /** The right a member of staff needs. */
  permission?: string;
  /** Not one of the contract's routes, but beyond them. */
  beyond?: true;
}

export interface CataloguePackage {
  /** Full npm name. */
  name: string;
  tier: Tier;
  version: string;
  description: string;
  /** Full names of the packages it needs, the engine left out. */
  dependencies: string[];
  routes: CatalogueRoute[];
  /** File names, in the order in which they run. */
  migrations: string[];
}

export interface Catalogue {
  packages: CataloguePackage[];
}

export const catalogue = generated as Catalogue;
