/**
 * The options of `startBox`.
 */

import type { Tier } from '../box/tier.ts';
import type { Contribution } from '../extension/extension.ts';
import type { RateLimits } from '../http/rate-limit.ts';
import type { ServiceOptions } from '../start-service/start-service.ts';

export interface StartBoxOptions extends Omit<ServiceOptions, 'about'> {
  databaseUrl: string;
  /** Connections for requests, of all workers together. */
  poolSize?: number | undefined;
  tier: Tier;
  /** Full npm names of the entitled packages. */
  packages: readonly string[];
  /** A file beside the node_modules with the packages. */
  packagesFrom: string;
  /** Contributions to extension points, besides those of the packages. */
  extends?: readonly Contribution[] | undefined;
  operatorSecret?: string;
  hostingSecret?: string;
  metricsSecret?: string;
  /** The proxies to trust: see `trustedProxy`. */
  trustProxy?: boolean | string;
  /** Whether browsers send cookies over TLS only. Default: true. */
  secureCookies?: boolean;
  /** Requests a minute. Default: no limits. */
  rateLimits?: RateLimits;
  /** Milliseconds for the database work of a request. Default: 30,000. */
  requestDeadline?: number;
  /** Milliseconds for the arrival of a body, or of each chunk of an upload. */
  bodyDeadline?: number;
  /** The folder for uploaded files during their requests. */
  uploadFolder?: string;
  /** Bytes that uploads may hold there at once, of each worker. Default: 1 GiB. */
  uploadSpace?: number;
  /** The folder for files that packages store; default: one in the system's temporary folder. */
  dataFolder?: string;
  /** Milliseconds for the client to read each chunk of a streamed response. */
  readDeadline?: number;
  /** Milliseconds until the first work on indexes; null for none. Default: 10 seconds. */
  indexWorkAfter?: number | null | undefined;
  strictResponses?: boolean;
  /** The environment variables with the packages' settings. Default: none. */
  environment?: NodeJS.ProcessEnv;
}
