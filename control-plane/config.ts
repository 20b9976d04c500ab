/**
 * The settings of the control plane, read from its environment.
 */
import { resolve } from 'node:path';
import {
  normalizeHost,
  object,
  oneOf,
  readSettings,
  readTracing,
  readTrustProxy,
  serviceSettings,
  type TracingSettings,
  Type,
  vendor,
} from '@carton/runtime/service';

const Settings = object({
  ...serviceSettings,
  CONTROL_PLANE_PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 4000, description: 'Port to listen on' }),
  CONTROL_PLANE_HOME: Type.String({
    minLength: 1,
    default: `.${vendor.name}/control-plane`,
    description: 'Folder of the embedded PostgreSQL; unused with DATABASE_URL',
  }),
  ADMIN_SECRET: Type.String({ minLength: 16, description: 'Bearer secret of the vendor' }),
  REGISTRY_SECRET: Type.String({ minLength: 16, description: 'Bearer secret of the gated registry' }),
  PUBLISH_SECRET: Type.Optional(
    Type.String({
      minLength: 16,
      description: 'Bearer secret of the publisher; without it, releases cannot be published',
    }),
  ),
  REGISTRY_URL: Type.String({
    pattern: '^https?://[^\\s]+$',
    description: 'Public URL of the gated registry, and audience of activation tokens',
  }),
  TOKEN_LIFETIME_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    default: 3600,
    description: 'Lifetime of an activation token',
  }),
  SIGNING_KEY_SECRET: Type.Optional(
    Type.String({ minLength: 16, description: 'Encrypts private signing keys in the database' }),
  ),
  NAMESERVERS: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'Nameservers to which domains of boxes may be delegated, separated by commas; without them, only TXT records prove domains',
    }),
  ),
  NAMESERVER_LOOKUP: Type.Optional(
    Type.String({
      pattern: '^(\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-fA-F:]+\\])(:\\d{1,5})?$',
      description: 'DNS server for lookups of domains, such as 127.0.0.1:53; by default that of the machine',
    }),
  ),
  DOMAIN_PROOF: oneOf(['on', 'off'], {
    default: 'on',
    description: 'Whether a domain is served only once its customer has proved it; `off` is for closed networks',
  }),
  HOSTING_SECRET: Type.Optional(
    Type.String({
      minLength: 16,
      description: 'Secret of the website hosting layer, which may resolve pending domains',
    }),
  ),
  ALLOW_HTTP_BACKENDS: Type.Boolean({ default: false, description: 'Accept http in the URLs of boxes' }),
  ALLOW_PRIVATE_BACKENDS: Type.Boolean({
    default: false,
    description: 'Accept loopback, private and unique-local addresses in the URLs of boxes: for tests',
  }),
  CONTROL_PLANE_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s]+$',
      description: 'Public URL of the control plane, whose host boxes cannot have as theirs',
    }),
  ),
});

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly home: string;
  readonly databaseUrl: string | undefined;
  readonly poolSize: number;
  readonly adminSecret: string;
  readonly registrySecret: string;
  readonly publishSecret: string | undefined;
  /** Without a trailing slash. */
  readonly registryUrl: string;
  readonly tokenLifetimeSeconds: number;
  readonly signingKeySecret: string | undefined;
  /** Empty if domains cannot be delegated. */
  readonly nameservers: readonly string[];
  readonly nameserverLookup: string | undefined;
  readonly provesDomains: boolean;
  readonly hostingSecret: string | undefined;
  readonly allowHttpBackends: boolean;
  readonly allowPrivateBackends: boolean;
  /** Hosts of the control plane, the registry and the nameservers. */
  readonly ownHosts: readonly string[];
  readonly trustProxy: string;
  readonly logLevel: string;
  readonly metricsSecret: string | undefined;
  /** Milliseconds. */
  readonly slowQueries: number;
  /** Milliseconds. */
  readonly drainTime: number;
  readonly tracing: TracingSettings | null;
}

/** All settings with defaults and descriptions. */
export const settings = Settings.properties;
/** Names of the settings that must be set. */
export const requiredSettings: readonly string[] = Settings.required.filter(
  (name) => Settings.properties[name].default === undefined,
);

/**
 * Reads the settings of the control plane into a frozen object.
 * @throws Error that names the missing or invalid setting and the values it accepts
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const values = readSettings(Settings, environment);
  const nameservers = values.NAMESERVERS === undefined ? [] : hostNames('NAMESERVERS', values.NAMESERVERS);
  return Object.freeze({
    host: values.HOST,
    port: values.CONTROL_PLANE_PORT,
    home: resolve(values.CONTROL_PLANE_HOME),
    databaseUrl: values.DATABASE_URL,
    poolSize: values.DATABASE_POOL_SIZE,
    adminSecret: values.ADMIN_SECRET,
    registrySecret: values.REGISTRY_SECRET,
    publishSecret: values.PUBLISH_SECRET,
    registryUrl: values.REGISTRY_URL.replace(/\/+$/, ''),
    tokenLifetimeSeconds: values.TOKEN_LIFETIME_SECONDS,
    signingKeySecret: values.SIGNING_KEY_SECRET,
    nameservers,
    nameserverLookup: values.NAMESERVER_LOOKUP,
    provesDomains: values.DOMAIN_PROOF === 'on',
    hostingSecret: values.HOSTING_SECRET,
    allowHttpBackends: values.ALLOW_HTTP_BACKENDS,
    allowPrivateBackends: values.ALLOW_PRIVATE_BACKENDS,
    ownHosts: [...hostsOf([values.CONTROL_PLANE_URL, values.REGISTRY_URL]), ...nameservers],
    trustProxy: readTrustProxy(values.TRUST_PROXY),
    logLevel: values.LOG_LEVEL,
    metricsSecret: values.METRICS_SECRET,
    slowQueries: values.SLOW_QUERY_MILLISECONDS,
    drainTime: values.DRAIN_SECONDS * 1000,
    tracing: readTracing(environment),
  });
}

function hostNames(setting: string, text: string): string[] {
  return text.split(',').map((part) => {
    const host = normalizeHost(part.trim());
    if (host === null) throw new Error(`invalid setting: ${setting} must be host names: "${part.trim()}"`);
    return host;
  });
}

/** The host names of these URLs; addresses have rules of their own. */
function hostsOf(urls: readonly (string | undefined)[]): string[] {
  return urls.flatMap((url) =>
    url === undefined || !URL.canParse(url) ? [] : (normalizeHost(new URL(url).hostname) ?? []),
  );
}
