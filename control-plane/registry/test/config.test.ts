// The settings of the registry: their values, defaults and errors.

import { chmod } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import t from 'tap';
import { readConfig } from '../config.ts';
import type { BucketSettings } from '../storage/location.ts';

const required = {
  CONTROL_PLANE_URL: 'https://control.example',
  REGISTRY_SECRET: 'registry-secret-of-the-tests',
  PUBLISH_SECRET: 'publish-secret-of-the-tests',
};
const defaults = {
  host: '127.0.0.1',
  port: 4873,
  storage: resolve('.carton/registry'),
  home: resolve('.carton/registry'),
  publicUrl: undefined,
  controlPlaneUrl: required.CONTROL_PLANE_URL,
  registrySecret: required.REGISTRY_SECRET,
  publishSecret: required.PUBLISH_SECRET,
  packageKeysFile: undefined,
  metricsSecret: undefined,
  secretFiles: [],
  limits: { requests: 12_000, burst: 30_000, tarballs: 4_000, wrongTokens: 120 },
};

/** The values without the function that TRUST_PROXY becomes. */
function read(environment: Record<string, string | undefined>) {
  const { trustedProxy, ...config } = readConfig(environment);
  return config;
}

t.test('settings that are not set, or empty, have their defaults', async (t) => {
  t.strictSame(read(required), defaults);
  t.strictSame(read({ ...required, REGISTRY_PORT: '', REGISTRY_PUBLIC_URL: '', REGISTRY_STORAGE: '' }), defaults);
  t.ok(Object.isFrozen(readConfig(required)));
});

t.test('settings are read', async (t) => {
  const config = read({
    ...required,
    REGISTRY_HOST: '0.0.0.0',
    REGISTRY_PORT: '0',
    REGISTRY_STORAGE: '/srv/registry',
    REGISTRY_PUBLIC_URL: 'https://registry.example/npm/',
    PACKAGE_KEYS_FILE: 'package-keys.json',
    METRICS_SECRET: 'metrics-secret-of-the-tests',
    RATE_LIMIT_CUSTOMER: '1',
    RATE_LIMIT_BURST: '2',
    RATE_LIMIT_TARBALLS: '3',
    RATE_LIMIT_WRONG_TOKENS: '0',
  });
  t.strictSame(config, {
    ...defaults,
    host: '0.0.0.0',
    port: 0,
    storage: '/srv/registry',
    home: '/srv/registry',
    publicUrl: 'https://registry.example/npm/',
    packageKeysFile: resolve('package-keys.json'),
    metricsSecret: 'metrics-secret-of-the-tests',
    limits: { requests: 1, burst: 2, tarballs: 3, wrongTokens: 0 },
  });
});

t.test('a bucket, its service and its credentials', async (t) => {
  const bucket = { ...required, REGISTRY_STORAGE: 's3://packages/registry/one/' };
  const settings = { bucket: 'packages', prefix: 'registry/one/', endpoint: undefined, region: 'us-east-1' };
  const machine = { ...settings, pathStyle: false, credentials: undefined };
  t.strictSame(read(bucket), { ...defaults, storage: machine });
  t.match(read({ ...bucket, REGISTRY_STORAGE: 's3://packages' }).storage, { bucket: 'packages', prefix: '' });
  const folder = t.testdir({ secret: 'the-secret-of-an-access-key\n' });
  await chmod(join(folder, 'secret'), 0o600);
  const config = read({
    ...bucket,
    REGISTRY_HOME: '/var/lib/registry',
    REGISTRY_S3_ENDPOINT: 'https://s3.example',
    REGISTRY_S3_REGION: 'eu-central-1',
    REGISTRY_S3_ACCESS_KEY_ID: 'an-access-key',
    REGISTRY_S3_SECRET_ACCESS_KEY_FILE: join(folder, 'secret'),
  });
  t.equal(config.home, '/var/lib/registry');
  const { credentials, ...storage } = config.storage as BucketSettings;
  const service = { endpoint: 'https://s3.example', region: 'eu-central-1', pathStyle: true };
  t.strictSame(storage, { ...settings, ...service });
  t.strictSame(credentials?.(), { accessKeyId: 'an-access-key', secretAccessKey: 'the-secret-of-an-access-key' });
  t.equal(config.secretFiles.length, 1, 'the file is followed');
  const inName = read({ ...bucket, REGISTRY_S3_ENDPOINT: 'https://s3.example', REGISTRY_S3_PATH_STYLE: 'false' });
  t.match(inName.storage, { pathStyle: false });
});

t.test('an error names the missing or invalid setting, and no value', async (t) => {
  const cases: [change: Record<string, string | undefined>, message: RegExp][] = [
    [{ CONTROL_PLANE_URL: undefined }, /^CONTROL_PLANE_URL is not set$/],
    [{ CONTROL_PLANE_URL: 'control.example' }, /^CONTROL_PLANE_URL must match/],
    [{ CONTROL_PLANE_URL: 'https://user:password@control.example' }, /^CONTROL_PLANE_URL must match/],
    [{ REGISTRY_PUBLIC_URL: 'https://registry.example/?a=b' }, /^REGISTRY_PUBLIC_URL must match/],
    [{ REGISTRY_SECRET: '' }, /^REGISTRY_SECRET is not set$/],
    [{ REGISTRY_SECRET: 'short' }, /^REGISTRY_SECRET must NOT have fewer than 16 characters$/],
    [{ PUBLISH_SECRET: undefined }, /^PUBLISH_SECRET is not set$/],
    [{ PUBLISH_SECRET: 'short' }, /^PUBLISH_SECRET must NOT have fewer than 16 characters$/],
    [{ REGISTRY_PORT: '1e3' }, /^REGISTRY_PORT must be integer$/],
    [{ REGISTRY_PORT: '-1' }, /^REGISTRY_PORT must be integer$/],
    [{ METRICS_SECRET: 'short' }, /^METRICS_SECRET must NOT have fewer than 16 characters$/],
    [{ RATE_LIMIT_BURST: '0' }, /^RATE_LIMIT_BURST must be >= 1$/],
    [{ TRUST_PROXY: 'perhaps' }, /^TRUST_PROXY must be a number of proxies, or addresses and ranges/],
    [{ REGISTRY_PORT: '65536' }, /^REGISTRY_PORT must be <= 65535$/],
    ...[
      's3:packages',
      's3://',
      's3://Packages',
      's3://packages//one',
      's3://packages/../one',
      'https://s3.example/x',
    ].map((text): [Record<string, string>, RegExp] => [
      { REGISTRY_STORAGE: text },
      /^REGISTRY_STORAGE must be a folder, or a bucket as s3:\/\/bucket\/prefix$/,
    ]),
    [{ REGISTRY_S3_REGION: 'eu-central-1' }, /^REGISTRY_S3_REGION needs a bucket, and REGISTRY_STORAGE is a folder$/],
    [
      { REGISTRY_STORAGE: 's3://packages', REGISTRY_S3_ACCESS_KEY_ID: 'an-access-key' },
      /^REGISTRY_S3_SECRET_ACCESS_KEY is not set, and REGISTRY_S3_ACCESS_KEY_ID is$/,
    ],
    [{ REGISTRY_STORAGE: 's3://packages', REGISTRY_S3_ENDPOINT: 's3.example' }, /^REGISTRY_S3_ENDPOINT must match/],
    [{ REGISTRY_STORAGE: 's3://packages', REGISTRY_S3_PATH_STYLE: 'yes' }, /^REGISTRY_S3_PATH_STYLE must match/],
  ];
  for (const [change, message] of cases) {
    t.throws(() => readConfig({ ...required, ...change }), { message }, JSON.stringify(change));
  }
  t.throws(() => readConfig({ PUBLISH_SECRET: 'short', TRUST_PROXY: 'perhaps' }), {
    message:
      /^CONTROL_PLANE_URL is not set; REGISTRY_SECRET is not set; PUBLISH_SECRET must NOT [^;]+; TRUST_PROXY must [^;]+$/,
  });
});
