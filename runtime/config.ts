/**
 * The settings of a box, read from the environment.
 */
import { resolve } from 'node:path';
import type { RateLimits } from './http/rate-limit.ts';
import { object, type TProperties, Type } from './http/schemas.ts';
import { readTracing, type TracingSettings } from './operations/tracing/settings.ts';
import { readSettings, readTrustProxy, secret, serviceSettings } from './settings.ts';

const rateLimit = (defaultLimit: number, requests: string) =>
  Type.Integer({
    minimum: 0,
    maximum: 100_000_000,
    default: defaultLimit,
    description: `Maximum number of ${requests} a minute for one caller, counted by each replica for all of its workers; 0 for no limit`,
  });

const Settings = object({
  ...serviceSettings,
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 3001, description: 'Port to listen on' }),
  BOX_HOME: Type.String({ minLength: 1, default: '.', description: "The box's folder: data, logs" }),
  BOX_PACKAGES: Type.String({
    minLength: 1,
    default: 'carton.lock.json',
    description: 'The lock file with the entitled packages, which are in `node_modules` beside it',
  }),
  DATABASE_POOL_SIZE: {
    ...serviceSettings.DATABASE_POOL_SIZE,
    description:
      'Maximum number of connections for requests, of all workers together. Default with more than two workers: 4 for each, at most 32',
  },
  WORKERS: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 64,
      description:
        'Number of processes that serve requests. Default: one for each processor core, at most one for each 256 MiB of memory',
    }),
  ),
  WAL_ARCHIVE_FOLDER: Type.Optional(
    Type.String({
      pattern: '^/.',
      maxLength: 200,
      description:
        'Folder in which the embedded database archives its write-ahead log, for `carton restore --to-time`; best on another disk',
    }),
  ),
  REQUEST_DEADLINE: Type.Integer({
    minimum: 1,
    maximum: 3600,
    default: 30,
    description:
      'Seconds after which the database work of a request is cancelled and the response is 503; of an upload, that of each statement',
  }),
  UPLOAD_SPACE_MEGABYTES: Type.Integer({
    minimum: 16,
    maximum: 1_000_000,
    default: 1024,
    description:
      'MiB that uploads hold on disk at once while they arrive, of each worker; those of a store hold half of it. Others are 503 until there is room',
  }),
  SECURE_COOKIES: Type.Boolean({
    default: true,
    description:
      'Whether browsers send cookies over TLS only; `false` for a box that is reached without TLS. A change ends all sessions with cookies',
  }),
  OPERATOR_SECRET: Type.Optional(
    Type.String({ minLength: 16, description: "The operator's bearer secret", ...secret }),
  ),
  HOSTING_SECRET: Type.Optional(
    Type.String({ minLength: 16, description: 'Secret of the website hosting layer', ...secret }),
  ),
  RATE_LIMIT_READ: rateLimit(12_000, 'GET requests'),
  RATE_LIMIT_WRITE: rateLimit(3_000, 'write requests'),
  RATE_LIMIT_CHECKOUT: rateLimit(600, 'checkouts'),
  RATE_LIMIT_LOGIN: rateLimit(120, 'write requests without a credential and wrong credentials'),
});

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly home: string;
  readonly lockFile: string;
  readonly databaseUrl: string | undefined;
  readonly archiveFolder: string | undefined;
  /** Connections for requests, of all workers together; the default depends on their number. */
  readonly poolSize: number | undefined;
  /** Milliseconds. */
  readonly requestDeadline: number;
  /** Bytes, of each worker. */
  readonly uploadSpace: number;
  readonly operatorSecret: string | undefined;
  readonly hostingSecret: string | undefined;
  readonly trustProxy: string;
  readonly secureCookies: boolean;
  readonly rateLimits: RateLimits;
  readonly logLevel: string;
  readonly metricsSecret: string | undefined;
  /** Milliseconds. */
  readonly slowQueries: number;
  /** Milliseconds. */
  readonly drainTime: number;
  readonly tracing: TracingSettings | null;
}

/** All settings with defaults and descriptions, for the documentation. */
export const settings: TProperties = Settings.properties;

/**
 * Reads the settings of a box.
 * @throws Error naming an invalid setting and what it must be
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const values = readSettings(Settings, environment);
  return Object.freeze({
    host: values.HOST,
    port: values.PORT,
    home: resolve(values.BOX_HOME),
    lockFile: resolve(values.BOX_PACKAGES),
    databaseUrl: values.DATABASE_URL,
    archiveFolder: values.WAL_ARCHIVE_FOLDER,
    poolSize: environment.DATABASE_POOL_SIZE ? values.DATABASE_POOL_SIZE : undefined,
    requestDeadline: values.REQUEST_DEADLINE * 1000,
    uploadSpace: values.UPLOAD_SPACE_MEGABYTES * 1024 * 1024,
    operatorSecret: values.OPERATOR_SECRET,
    hostingSecret: values.HOSTING_SECRET,
    trustProxy: readTrustProxy(values.TRUST_PROXY),
    secureCookies: values.SECURE_COOKIES,
    rateLimits: {
      read: values.RATE_LIMIT_READ,
      write: values.RATE_LIMIT_WRITE,
      checkout: values.RATE_LIMIT_CHECKOUT,
      login: values.RATE_LIMIT_LOGIN,
    },
    logLevel: values.LOG_LEVEL,
    metricsSecret: values.METRICS_SECRET,
    slowQueries: values.SLOW_QUERY_MILLISECONDS,
    drainTime: values.DRAIN_SECONDS * 1000,
    tracing: readTracing(environment),
  });
}
