/**
 * What a handler of the control plane's routes is given.
 */
import { routeFor } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { GuessLimiter } from './license/guesses.ts';
import type { License } from './license/schemas.ts';
import type { SigningKeys } from './signing/keys.ts';

/** What the vendor has decided about all customers. */
export interface ControlPlaneSettings {
  /** Address of the gated registry, and audience of activation tokens. */
  registryUrl: string;
  /** Lifetime of an activation token, in seconds. */
  tokenLifetimeSeconds: number;
  /** Nameservers that domains of boxes are delegated to. */
  nameservers: readonly string[];
  /** DNS server to ask about domains; the machine's own when absent. */
  nameserverLookup?: string;
}

/** A request that carries an Idempotency-Key. Whoever finds that its work was done before says so in `replayed`. */
export interface Once {
  readonly key: string;
  replayed: boolean;
}

export interface ControlPlaneServices {
  db: Knex;
  settings: ControlPlaneSettings;
  signing: SigningKeys;
  guesses: GuessLimiter;
  /** The caller of a route with `license` access. */
  license: License;
  client: { address: string };
  once: Once | null;
}

/** The `route` of every room of the control plane. */
export const route = routeFor<ControlPlaneServices>();
