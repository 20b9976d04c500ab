/**
 * What every handler of the control plane's routes is given. A room whose handlers are given more says so where it makes
 * its `route`.
 */
import type { ServiceOptions } from '@carton/runtime/service';
import type { Knex } from 'knex';

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

export interface ControlPlaneOptions extends ControlPlaneSettings, Omit<ServiceOptions, 'about'> {
  databaseUrl: string;
  poolSize?: number;
  adminSecret: string;
  registrySecret: string;
  /** Bearer secret of the publisher; without it nobody publishes releases. */
  publishSecret?: string | undefined;
  /** Encrypts the private signing key in the database. */
  signingKeySecret?: string;
  metricsSecret?: string;
  /** Which proxies are believed: see `trustedProxy`. */
  trustProxy?: boolean | string;
  /** Refuse an answer that breaks its own schema: for tests. */
  strictResponses?: boolean;
}

/** A request that carries an Idempotency-Key. Whoever finds that its work was done before says so in `replayed`. */
export interface Once {
  readonly key: string;
  replayed: boolean;
}

export interface CommonServices {
  db: Knex;
  settings: ControlPlaneSettings;
  client: { address: string };
  once: Once | null;
}

/** What access kinds let in; a handler is given it by the access that its route declares. */
export interface CommonCallers {
  public: unknown;
  admin: { admin: true };
  registry: { registry: true };
  publisher: { publisher: true };
}
