/**
 * The settings of the control plane, read from its environment.
 */
import { isIP } from 'node:net';
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
import type { Hosting, PowerDnsSettings } from './dns/settings.ts';
import { fileDescription, readSecretFiles, type SecretFile } from './registry/secret-files.ts';
import type { Secret } from './registry/secrets.ts';

/** The settings that can be given by file. */
const secretSettings = [
  'ADMIN_SECRET',
  'REGISTRY_SECRET',
  'PUBLISH_SECRET',
  'HOSTING_SECRET',
  'METRICS_SECRET',
  'SIGNING_KEY_SECRET',
] as const;

const secretFile = (setting: (typeof secretSettings)[number]) =>
  Type.Optional(Type.String({ minLength: 1, description: fileDescription(setting) }));

const Settings = object({
  ...serviceSettings,
  METRICS_SECRET_FILE: secretFile('METRICS_SECRET'),
  CONTROL_PLANE_PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 4000, description: 'Port to listen on' }),
  CONTROL_PLANE_HOME: Type.String({
    minLength: 1,
    default: `.${vendor.name}/control-plane`,
    description: 'Folder of the embedded PostgreSQL; unused with DATABASE_URL',
  }),
  ADMIN_SECRET: Type.String({ minLength: 16, description: 'Bearer secret of the vendor' }),
  ADMIN_SECRET_FILE: secretFile('ADMIN_SECRET'),
  REGISTRY_SECRET: Type.String({ minLength: 16, description: 'Bearer secret of the gated registry' }),
  REGISTRY_SECRET_FILE: secretFile('REGISTRY_SECRET'),
  PUBLISH_SECRET: Type.Optional(
    Type.String({
      minLength: 16,
      description: 'Bearer secret of the publisher; without it, releases cannot be published',
    }),
  ),
  PUBLISH_SECRET_FILE: secretFile('PUBLISH_SECRET'),
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
    Type.String({
      minLength: 16,
      description:
        'Encrypts private signing keys, the secrets of boxes and webhooks and the key of the journal in the database',
    }),
  ),
  REPORT_RETENTION_DAYS: Type.Integer({
    minimum: 0,
    maximum: 36_500,
    default: 400,
    description:
      'Days for which download reports are kept after they arrived, 7 at least; 0 for ever. Counts by day stay',
  }),
  SIGNING_KEY_SECRET_FILE: secretFile('SIGNING_KEY_SECRET'),
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
      description:
        'DNS server for lookups of domains, such as 127.0.0.1:53; by default that of the machine. It must be a resolver that follows delegations, never one of NAMESERVERS',
    }),
  ),
  DNS_ADAPTER: oneOf(['static', 'powerdns'], {
    default: 'static',
    description:
      '`powerdns` creates a zone for each domain of a box in the vendor’s PowerDNS; with `static`, the vendor creates them',
  }),
  POWERDNS_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s/?#@]+/?$',
      description: 'URL of the webserver of PowerDNS, such as http://127.0.0.1:8081',
    }),
  ),
  POWERDNS_KEY: Type.Optional(
    Type.String({ pattern: '^[\\x21-\\x7e]{16,}$', description: 'Its `api-key`, 16 characters or more' }),
  ),
  HOSTING_ADDRESSES: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'Where PowerDNS sends the domains of boxes: IP addresses of the website hosting layer, separated by commas, or its host name',
    }),
  ),
  DNS_CONTACT: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9._-]+@[^@\\s]+$',
      description: 'Mail address in the SOA records of the zones; by default `hostmaster` at the first of NAMESERVERS',
    }),
  ),
  DOMAIN_PROOF: oneOf(['on', 'off'], {
    default: 'on',
    description: 'Whether a domain is served only once its customer has proved it; `off` is for closed networks',
  }),
  HOSTING_SECRET: Type.Optional(
    Type.String({
      minLength: 16,
      description:
        'Secret of the website hosting layer, which may resolve pending domains and reads the secrets of boxes',
    }),
  ),
  HOSTING_SECRET_FILE: secretFile('HOSTING_SECRET'),
  ALLOW_HTTP_BACKENDS: Type.Boolean({ default: false, description: 'Accept http in the URLs of boxes' }),
  ALLOW_PRIVATE_BACKENDS: Type.Boolean({
    default: false,
    description: 'Accept loopback, private and unique-local addresses in the URLs of boxes: for tests',
  }),
  ALLOW_HTTP_WEBHOOKS: Type.Boolean({ default: false, description: 'Accept http in the URLs of webhooks' }),
  ALLOW_PRIVATE_WEBHOOKS: Type.Boolean({
    default: false,
    description:
      'Accept loopback, private and unique-local addresses in the URLs of webhooks: for systems in the network of the control plane',
  }),
  CONTROL_PLANE_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s]+$',
      description: 'Public URL of the control plane, whose host boxes and webhooks cannot have as theirs',
    }),
  ),
});

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly home: string;
  readonly databaseUrl: string | undefined;
  readonly poolSize: number;
  readonly adminSecret: Secret;
  readonly registrySecret: Secret;
  readonly publishSecret: Secret | undefined;
  /** Without a trailing slash. */
  readonly registryUrl: string;
  readonly tokenLifetimeSeconds: number;
  /** 0 for ever. */
  readonly reportRetentionDays: number;
  readonly signingKeySecret: Secret | undefined;
  /** Empty if domains cannot be delegated. */
  readonly nameservers: readonly string[];
  readonly nameserverLookup: string | undefined;
  /** Null unless the adapter is PowerDNS. */
  readonly powerdns: PowerDnsSettings | null;
  readonly provesDomains: boolean;
  readonly hostingSecret: Secret | undefined;
  readonly allowHttpBackends: boolean;
  readonly allowPrivateBackends: boolean;
  readonly allowHttpWebhooks: boolean;
  readonly allowPrivateWebhooks: boolean;
  /** Hosts of the control plane, the registry, the nameservers and the website hosting layer. */
  readonly ownHosts: readonly string[];
  readonly trustProxy: string;
  readonly logLevel: string;
  readonly metricsSecret: Secret | undefined;
  /** Files of secrets, to be followed. */
  readonly secretFiles: readonly SecretFile[];
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
  const { secretOf, faults, ...secrets } = readSecretFiles(secretSettings, environment);
  if (faults.length > 0) throw new Error(`invalid setting: ${faults.join('; ')}`);
  const values = readSettings(Settings, secrets.environment);
  const nameservers = values.NAMESERVERS === undefined ? [] : hostNames('NAMESERVERS', values.NAMESERVERS);
  const powerdns = readPowerDns(values, nameservers);
  const hostingHosts = powerdns && 'name' in powerdns.hosting ? [powerdns.hosting.name] : [];
  return Object.freeze({
    host: values.HOST,
    port: values.CONTROL_PLANE_PORT,
    home: resolve(values.CONTROL_PLANE_HOME),
    databaseUrl: values.DATABASE_URL,
    poolSize: values.DATABASE_POOL_SIZE,
    adminSecret: secretOf('ADMIN_SECRET', values.ADMIN_SECRET),
    registrySecret: secretOf('REGISTRY_SECRET', values.REGISTRY_SECRET),
    publishSecret: secretOf('PUBLISH_SECRET', values.PUBLISH_SECRET),
    registryUrl: values.REGISTRY_URL.replace(/\/+$/, ''),
    tokenLifetimeSeconds: values.TOKEN_LIFETIME_SECONDS,
    reportRetentionDays: retentionOf(values.REPORT_RETENTION_DAYS),
    signingKeySecret: secretOf('SIGNING_KEY_SECRET', values.SIGNING_KEY_SECRET),
    nameservers,
    nameserverLookup: values.NAMESERVER_LOOKUP,
    powerdns,
    provesDomains: values.DOMAIN_PROOF === 'on',
    hostingSecret: secretOf('HOSTING_SECRET', values.HOSTING_SECRET),
    allowHttpBackends: values.ALLOW_HTTP_BACKENDS,
    allowPrivateBackends: values.ALLOW_PRIVATE_BACKENDS,
    allowHttpWebhooks: values.ALLOW_HTTP_WEBHOOKS,
    allowPrivateWebhooks: values.ALLOW_PRIVATE_WEBHOOKS,
    ownHosts: [...hostsOf([values.CONTROL_PLANE_URL, values.REGISTRY_URL]), ...nameservers, ...hostingHosts],
    trustProxy: readTrustProxy(values.TRUST_PROXY),
    logLevel: values.LOG_LEVEL,
    metricsSecret: secretOf('METRICS_SECRET', values.METRICS_SECRET),
    secretFiles: secrets.files,
    slowQueries: values.SLOW_QUERY_MILLISECONDS,
    drainTime: values.DRAIN_SECONDS * 1000,
    tracing: readTracing(environment),
  });
}

/** A registry may send a report again that is stored already: it must not have been removed meanwhile. */
function retentionOf(days: number): number {
  if (days === 0 || days >= 7) return days;
  throw new Error(`invalid setting: REPORT_RETENTION_DAYS must be 0 or at least 7: "${days}"`);
}

type PowerDnsValues = Partial<Record<'POWERDNS_URL' | 'POWERDNS_KEY' | 'HOSTING_ADDRESSES' | 'DNS_CONTACT', string>>;

function readPowerDns(
  values: PowerDnsValues & { DNS_ADAPTER: string },
  nameservers: readonly string[],
): PowerDnsSettings | null {
  if (values.DNS_ADAPTER !== 'powerdns') return null;
  const { POWERDNS_URL: url, POWERDNS_KEY: key, HOSTING_ADDRESSES: addresses } = values;
  const [first] = nameservers;
  if (first === undefined || url === undefined || key === undefined || addresses === undefined) {
    const settings = { NAMESERVERS: first, POWERDNS_URL: url, POWERDNS_KEY: key, HOSTING_ADDRESSES: addresses };
    const missing = Object.entries(settings).find(([, value]) => value === undefined)?.[0];
    throw new Error(`invalid setting: ${missing} is not set, which DNS_ADAPTER=powerdns requires`);
  }
  const [user, host = ''] = (values.DNS_CONTACT ?? `hostmaster@${first}`).split('@');
  const [contactHost] = hostNames('the part of DNS_CONTACT after the @', host);
  return { url: url.replace(/\/$/, ''), key, contact: `${user}@${contactHost}`, hosting: readHosting(addresses) };
}

function readHosting(text: string): Hosting {
  const parts = text.split(',').map((part) => part.trim());
  // IPv6 addresses in the notation of RFC 5952, as PowerDNS stores them.
  const addresses = parts.flatMap((part) =>
    isIP(part) === 6 ? new URL(`http://[${part}]`).hostname.slice(1, -1) : isIP(part) === 4 ? part : [],
  );
  if (addresses.length === parts.length) return { addresses: [...new Set(addresses)] };
  const name = parts.length === 1 ? normalizeHost(parts[0] as string) : null;
  if (name === null) {
    throw new Error(`invalid setting: HOSTING_ADDRESSES must be IP addresses, or one host name: "${text}"`);
  }
  return { name };
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
