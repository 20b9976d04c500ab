/**
 * The services passed to every handler of the control plane. Routes that need more declare it where they call `routeFor`
 * or `changesFor`.
 */
import { type RouteDeclaration, routeFor, type ServiceOptions } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { PowerDnsSettings } from './dns/settings.ts';
import type { JournalKeys } from './journal-key.ts';
import type { Secret } from './registry/secrets.ts';

/** Settings that apply to all customers. */
export interface ControlPlaneSettings {
  /** Public URL of the gated registry, and audience of activation tokens. */
  registryUrl: string;
  /** Lifetime of an activation token, in seconds. */
  tokenLifetimeSeconds: number;
  /** Nameservers that domains of boxes are delegated to; none if they cannot be. */
  nameservers: readonly string[];
  /** DNS server for lookups of domains, such as `127.0.0.1:53`; by default that of the machine. */
  nameserverLookup?: string | undefined;
  /** The vendor's nameserver, which serves the domains of boxes; null if the control plane does not update it. */
  powerdns?: PowerDnsSettings | null | undefined;
  /** False in closed networks: domains are served without a proof. */
  provesDomains: boolean;
  /** Accept http in the URLs of boxes. */
  allowHttpBackends: boolean;
  /** Accept loopback, private and unique-local addresses in the URLs of boxes. */
  allowPrivateBackends: boolean;
  /** Accept http in the URLs of webhooks. */
  allowHttpWebhooks?: boolean | undefined;
  /** Accept loopback, private and unique-local addresses in the URLs of webhooks. */
  allowPrivateWebhooks?: boolean | undefined;
  /** Hosts of the control plane itself, which cannot be backends. */
  ownHosts: readonly string[];
}

export interface ControlPlaneOptions extends ControlPlaneSettings, Omit<ServiceOptions, 'about'> {
  databaseUrl: string;
  poolSize?: number;
  adminSecret: Secret;
  registrySecret: Secret;
  /** Bearer secret of the publisher; without it, releases cannot be published. */
  publishSecret?: Secret | undefined;
  /** Encrypts private signing keys, the hosting secrets of boxes and the secrets of webhooks in the database. */
  signingKeySecret?: Secret | undefined;
  metricsSecret?: Secret | undefined;
  /** Secret of the website hosting layer, which may resolve pending domains and reads the secrets of boxes. */
  hostingSecret?: Secret | undefined;
  /** Milliseconds between looks for domains that are due for a check, and for work on zones; 0 for never. Default: 15 seconds. */
  domainCheckInterval?: number;
  /** Milliseconds between looks for events to send; 0 for never. Default: two seconds. */
  webhookInterval?: number;
  /** Milliseconds in which the receiver of a webhook has to respond. Default: 15 seconds. */
  webhookTimeout?: number;
  /** Milliseconds between looks for licences that expire or end soon; 0 for never. Default: a minute. */
  warningInterval?: number;
  /** Milliseconds between two counts of new download reports; 0 for never. Default: a minute. */
  rollUpInterval?: number;
  /** Days for which download reports are kept after they arrived; 0 for ever. Default: 400. */
  reportRetentionDays?: number;
  /** Milliseconds between looks for another SIGNING_KEY_SECRET. Default: 5 seconds. */
  encryptionInterval?: number;
  /** The proxies whose X-Forwarded-For is trusted: see `trustedProxy`. */
  trustProxy?: boolean | string;
  /** Fail on a response that does not match its schema: for tests. */
  strictResponses?: boolean;
}

/** Who changes something: an administrator, or a secret of the settings. */
export interface Actor {
  /** Null for a secret of the settings. */
  id: string | null;
  /** The administrator's name, or the name of the setting. */
  name: string;
  role: 'reader' | 'manager' | 'owner' | 'publisher';
}

/** The Idempotency-Key of a request. The handler sets `replayed` if an earlier request with the key had the effect. */
export interface Idempotency {
  readonly key: string;
  replayed: boolean;
}

export interface CommonServices {
  db: Knex;
  settings: ControlPlaneSettings;
  client: {
    address: string;
    isHosting(): boolean;
    /** A header of the request; empty if it was not sent. */
    header(name: string): string;
  };
  journalKeys: JournalKeys;
  /** For the journal. */
  request: { id: string; method: string; path: string };
  /** Null without an Idempotency-Key. */
  idempotency: Idempotency | null;
}

/** What each access kind adds to the services of a handler, by the access that its route declares. */
export interface CommonCallers {
  public: unknown;
  admin: { admin: true; actor: Actor };
  registry: { registry: true };
  publisher: { publisher: true; actor: Actor };
  hosting: { hosting: true };
}

export type InTransaction<Services> = Services & { db: Knex.Transaction };

/** Declarations of what is journalled in the transaction of its change (administrators/journalled.ts). */
interface JournalledChange {
  method: Exclude<RouteDeclaration['method'], 'get'>;
  outsideTransaction?: never;
}

/**
 * Returns the `route` of changes by administrators and the publisher. Their handlers get as `db` the transaction in which
 * the change is journalled, so they can lock rows and record events.
 */
export function changesFor<Services extends CommonServices = CommonServices>() {
  return routeFor<InTransaction<Services>, Pick<CommonCallers, 'admin' | 'publisher'>, JournalledChange>();
}
