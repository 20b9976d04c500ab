// The settings of the registry, read from its environment.

import { resolve } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { defaultLimits, type LimitSettings, type TrustedProxy, trustedProxy } from './limits.ts';
import { fileDescription, readSecretFiles, type SecretFile } from './secret-files.ts';
import type { Secret } from './secrets.ts';
import type { BucketSettings } from './storage/location.ts';
import { faultsOfStorage, homeOf, storageOf, storageSettings } from './storage/settings.ts';

/** The settings that can be given by file. */
const secretSettings = [
  'REGISTRY_SECRET',
  'PUBLISH_SECRET',
  'METRICS_SECRET',
  'REGISTRY_S3_SECRET_ACCESS_KEY',
] as const;

const secretFile = (setting: (typeof secretSettings)[number]) =>
  Type.Optional(Type.String({ minLength: 1, description: fileDescription(setting) }));

const url = '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$';

const Settings = Type.Object({
  REGISTRY_HOST: Type.String({ minLength: 1, default: '127.0.0.1', description: 'Address to listen on' }),
  REGISTRY_PORT: Type.Integer({ minimum: 0, maximum: 65_535, default: 4873, description: 'Port to listen on' }),
  ...storageSettings,
  REGISTRY_PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: url,
      description: 'URL that customers use, and audience of their tokens; by default the address it listens on',
    }),
  ),
  CONTROL_PLANE_URL: Type.String({
    pattern: url,
    description: 'Control plane, which signs tokens and receives download reports',
  }),
  REGISTRY_SECRET: Type.String({ minLength: 16, description: 'Bearer secret for the control plane' }),
  REGISTRY_SECRET_FILE: secretFile('REGISTRY_SECRET'),
  PUBLISH_SECRET: Type.String({ minLength: 16, description: 'Bearer secret of the publisher' }),
  PUBLISH_SECRET_FILE: secretFile('PUBLISH_SECRET'),
  PACKAGE_KEYS_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'File with the public keys of packages, from `npm run package-keys`; with it, a version is published only if one of them has signed it',
    }),
  ),
  METRICS_SECRET: Type.Optional(Type.String({ minLength: 16, description: 'Bearer secret for `/metrics` only' })),
  METRICS_SECRET_FILE: secretFile('METRICS_SECRET'),
  TRUST_PROXY: Type.String({
    default: 'false',
    description:
      'Proxies whose `X-Forwarded-For` is trusted, for the limit of wrong tokens: `false` for none, the number of proxies in a chain (`true` is one), or their addresses: `loopback, 10.0.0.0/8` (`private` for all private ranges)',
  }),
  RATE_LIMIT_CUSTOMER: Type.Integer({
    minimum: 0,
    default: defaultLimits.requests,
    description: 'Requests a minute of a customer, counted by each process; 0 for no limit',
  }),
  RATE_LIMIT_BURST: Type.Integer({
    minimum: 1,
    default: defaultLimits.burst,
    description: 'Requests of a customer that may come at once, after a pause',
  }),
  RATE_LIMIT_TARBALLS: Type.Integer({
    minimum: 0,
    default: defaultLimits.tarballs,
    description: 'Tarballs that a customer may download at a time; 0 for no limit',
  }),
  RATE_LIMIT_WRONG_TOKENS: Type.Integer({
    minimum: 0,
    default: defaultLimits.wrongTokens,
    description: 'Wrong tokens a minute from an address, after which more of them get 429; 0 for no limit',
  }),
});

export type Config = {
  readonly host: string;
  readonly port: number;
  /** A bucket, or a folder by its absolute path. */
  readonly storage: BucketSettings | string;
  /** An absolute path. */
  readonly home: string;
  readonly publicUrl: string | undefined;
  readonly controlPlaneUrl: string;
  readonly registrySecret: Secret;
  readonly publishSecret: Secret;
  /** An absolute path. */
  readonly packageKeysFile: string | undefined;
  readonly metricsSecret: Secret | undefined;
  /** Files of secrets, to be followed. */
  readonly secretFiles: readonly SecretFile[];
  readonly trustedProxy: TrustedProxy;
  readonly limits: LimitSettings;
};

/** All settings with defaults and descriptions. */
export const settings = Settings.properties;
/** Names of the settings that must be set. */
export const requiredSettings: readonly string[] = (Settings.required ?? []).filter(
  (name) => Settings.properties[name as keyof typeof settings].default === undefined,
);

/**
 * Reads the settings into a frozen object; an empty variable counts as not set.
 * @throws Error whose message names every missing or invalid setting, and none of their values
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const secrets = readSecretFiles(secretSettings, environment);
  const values = readSettings(secrets.environment, secrets.faults);
  const storage = storageOf(values, secrets.secretOf);
  return Object.freeze({
    host: values.REGISTRY_HOST,
    port: values.REGISTRY_PORT,
    storage,
    home: homeOf(values.REGISTRY_HOME, storage),
    publicUrl: values.REGISTRY_PUBLIC_URL,
    controlPlaneUrl: values.CONTROL_PLANE_URL,
    registrySecret: secrets.secretOf('REGISTRY_SECRET', values.REGISTRY_SECRET),
    publishSecret: secrets.secretOf('PUBLISH_SECRET', values.PUBLISH_SECRET),
    packageKeysFile: values.PACKAGE_KEYS_FILE === undefined ? undefined : resolve(values.PACKAGE_KEYS_FILE),
    metricsSecret: secrets.secretOf('METRICS_SECRET', values.METRICS_SECRET),
    secretFiles: secrets.files,
    trustedProxy: trustedProxy(values.TRUST_PROXY),
    limits: {
      requests: values.RATE_LIMIT_CUSTOMER,
      burst: values.RATE_LIMIT_BURST,
      tarballs: values.RATE_LIMIT_TARBALLS,
      wrongTokens: values.RATE_LIMIT_WRONG_TOKENS,
    },
  });
}

function readSettings(environment: NodeJS.ProcessEnv, faultsOfFiles: readonly string[]): Static<typeof Settings> {
  const values: Record<string, unknown> = {};
  for (const [name, { type, default: defaultValue }] of Object.entries(settings)) {
    const text = environment[name];
    if (text === undefined || text === '') values[name] = defaultValue;
    else values[name] = type === 'integer' && /^\d+$/.test(text) ? Number(text) : text;
  }
  const check = new Ajv2020({ allErrors: true }).compile<Static<typeof Settings>>(Settings);
  const isValid = check(values);
  const faults = [
    ...(check.errors ?? []).map(describe),
    ...faultsOfFiles,
    ...faultsOfProxies(String(values.TRUST_PROXY)),
    ...faultsOfStorage(values),
  ];
  if (!isValid || faults.length > 0) throw new Error(faults.join('; '));
  return values;
}

/** What no schema can check. */
function faultsOfProxies(text: string): string[] {
  try {
    trustedProxy(text);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

function describe({ keyword, params, instancePath, message }: ErrorObject): string {
  return keyword === 'required' ? `${params.missingProperty} is not set` : `${instancePath.slice(1)} ${message}`;
}
