/**
 * What a box is started with.
 */

import type { Tier } from '../box/tier.ts';
import type { RateLimits } from '../http/rate-limit.ts';
import type { ServiceOptions } from '../start/service.ts';

export interface BootOptions extends Omit<ServiceOptions, 'about'> {
  databaseUrl: string;
  poolSize?: number;
  tier: Tier;
  /** Full npm names of the entitled packages. */
  packages: readonly string[];
  /** A file beside whose node_modules the packages stand. */
  packagesFrom: string;
  operatorSecret?: string;
  hostingSecret?: string;
  metricsSecret?: string;
  /** Which proxies are believed: see `trustedProxy`. */
  trustProxy?: boolean | string;
  /** Whether browsers send cookies over TLS only; true unless told. */
  secureCookies?: boolean;
  /** Requests a minute; none are counted unless given. */
  rateLimits?: RateLimits;
  /** Milliseconds in which a request's work in the database has to be done; 30,000 unless given. */
  requestDeadline?: number;
  /** Milliseconds in which a body has to arrive; in which each piece of an upload has to. */
  bodyDeadline?: number;
  /** Where files of uploads stand while their requests are served. */
  uploadFolder?: string;
  /** Milliseconds in which the reader of a streamed answer has to take what it was sent. */
  readDeadline?: number;
  strictResponses?: boolean;
  /** Where packages find their settings; nothing is set unless given. */
  environment?: NodeJS.ProcessEnv;
}
