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
  client: { address: string };
  once: Once | null;
}

/** What each access kind lets in; a handler is given it by the access that its route declares. */
export interface ControlPlaneCallers {
  public: unknown;
  admin: { admin: true };
  registry: { registry: true };
  license: { license: License };
}

/** The `route` of every room of the control plane. */
export const route = routeFor<ControlPlaneServices, ControlPlaneCallers>();
