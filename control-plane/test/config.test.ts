/**
 * The settings of the control plane: their values, defaults and errors.
 */
import { resolve } from 'node:path';
import t from 'tap';
import { readConfig } from '../config.ts';

const required = {
  ADMIN_SECRET: 'admin-secret-of-the-tests',
  REGISTRY_SECRET: 'registry-secret-of-the-tests',
  REGISTRY_URL: 'https://registry.example/npm//',
};

t.test('settings that are not set have their defaults', async (t) => {
  t.strictSame(readConfig(required), {
    host: '127.0.0.1',
    port: 4000,
    home: resolve('.carton/control-plane'),
    databaseUrl: undefined,
    poolSize: 10,
    adminSecret: required.ADMIN_SECRET,
    registrySecret: required.REGISTRY_SECRET,
    publishSecret: undefined,
    registryUrl: 'https://registry.example/npm',
    tokenLifetimeSeconds: 3600,
    reportRetentionDays: 400,
    signingKeySecret: undefined,
    nameservers: [],
    nameserverLookup: undefined,
    powerdns: null,
    provesDomains: true,
    hostingSecret: undefined,
    allowHttpBackends: false,
    allowPrivateBackends: false,
    allowHttpWebhooks: false,
    allowPrivateWebhooks: false,
    ownHosts: ['registry.example'],
    trustProxy: 'false',
    logLevel: 'info',
    metricsSecret: undefined,
    secretFiles: [],
    slowQueries: 500,
    drainTime: 0,
    tracing: null,
  });
  t.ok(Object.isFrozen(readConfig(required)));
});

t.test('settings are read; an empty one counts as not set', async (t) => {
  const config = readConfig({
    ...required,
    CONTROL_PLANE_PORT: '0',
    DATABASE_URL: '',
    TOKEN_LIFETIME_SECONDS: '60',
    NAMESERVERS: 'NS1.Example.com., ns2.example.com',
    NAMESERVER_LOOKUP: '[::1]:5353',
    TRUST_PROXY: '1',
    DOMAIN_PROOF: 'off',
    ALLOW_HTTP_BACKENDS: 'true',
    CONTROL_PLANE_URL: 'https://Control.example:4000/',
  });
  t.match(config, { provesDomains: false, allowHttpBackends: true, allowPrivateBackends: false });
  t.strictSame(config.ownHosts, ['control.example', 'registry.example', 'ns1.example.com', 'ns2.example.com']);
  t.match(config, { port: 0, tokenLifetimeSeconds: 60, nameserverLookup: '[::1]:5353', trustProxy: '1' });
  t.strictSame(config.nameservers, ['ns1.example.com', 'ns2.example.com']);
  t.equal(config.databaseUrl, undefined);
});

t.test('the settings of PowerDNS are read; another adapter ignores them', async (t) => {
  const environment = {
    ...required,
    NAMESERVERS: 'ns1.vendor.store,ns2.vendor.store',
    POWERDNS_URL: 'http://127.0.0.1:8081/',
    POWERDNS_KEY: 'the-key-of-powerdns',
    HOSTING_ADDRESSES: '192.0.2.10, 2001:DB8:0::1, 192.0.2.10',
  };
  t.equal(readConfig(environment).powerdns, null);
  const adapter = { ...environment, DNS_ADAPTER: 'powerdns' };
  t.strictSame(readConfig(adapter).powerdns, {
    url: 'http://127.0.0.1:8081',
    key: 'the-key-of-powerdns',
    contact: 'hostmaster@ns1.vendor.store',
    hosting: { addresses: ['192.0.2.10', '2001:db8::1'] },
  });
  const named = readConfig({
    ...adapter,
    HOSTING_ADDRESSES: 'Sites.vendor.store',
    DNS_CONTACT: 'dns.team@Vendor.store',
  });
  t.match(named.powerdns, { contact: 'dns.team@vendor.store', hosting: { name: 'sites.vendor.store' } });
  t.ok(named.ownHosts.includes('sites.vendor.store'));
  const cases: [change: Record<string, string | undefined>, message: RegExp][] = [
    [{ NAMESERVERS: undefined }, /NAMESERVERS is not set, which DNS_ADAPTER=powerdns requires$/],
    [{ POWERDNS_URL: undefined }, /POWERDNS_URL is not set/],
    [{ POWERDNS_KEY: undefined }, /POWERDNS_KEY is not set/],
    [{ HOSTING_ADDRESSES: undefined }, /HOSTING_ADDRESSES is not set/],
    [
      { HOSTING_ADDRESSES: '192.0.2.10,sites.vendor.store' },
      /HOSTING_ADDRESSES must be IP addresses, or one host name/,
    ],
    [{ POWERDNS_URL: 'http://user:password@127.0.0.1' }, /POWERDNS_URL must match/],
    [{ POWERDNS_URL: 'http://127.0.0.1/api/v1' }, /POWERDNS_URL must match/],
    [{ POWERDNS_KEY: 'a key with spaces in it' }, /POWERDNS_KEY must match/],
    [{ DNS_CONTACT: 'vendor.store' }, /DNS_CONTACT must match/],
    [{ DNS_ADAPTER: 'bind' }, /^invalid setting: DNS_ADAPTER must be one of static, powerdns$/],
  ];
  for (const [change, message] of cases) {
    t.throws(() => readConfig({ ...adapter, ...change }), { message }, JSON.stringify(change));
  }
});

t.test('an error names the missing or invalid setting', async (t) => {
  const cases: [change: Record<string, string | undefined>, message: RegExp][] = [
    [{ ADMIN_SECRET: undefined }, /^invalid setting: ADMIN_SECRET is not set$/],
    [{ ADMIN_SECRET: 'short' }, /ADMIN_SECRET must NOT have fewer than 16 characters/],
    [{ REGISTRY_SECRET: '' }, /REGISTRY_SECRET is not set/],
    [{ REGISTRY_URL: undefined }, /REGISTRY_URL is not set/],
    [{ REGISTRY_URL: 'registry.example' }, /REGISTRY_URL must match/],
    [{ CONTROL_PLANE_PORT: 'many' }, /CONTROL_PLANE_PORT must be integer/],
    [{ CONTROL_PLANE_PORT: '70000' }, /CONTROL_PLANE_PORT must be <= 65535/],
    [{ TOKEN_LIFETIME_SECONDS: '0' }, /TOKEN_LIFETIME_SECONDS must be >= 1/],
    [{ TOKEN_LIFETIME_SECONDS: '-5' }, /TOKEN_LIFETIME_SECONDS must be integer/],
    [{ REPORT_RETENTION_DAYS: '3' }, /REPORT_RETENTION_DAYS must be 0 or at least 7/],
    [{ SIGNING_KEY_SECRET: 'short' }, /SIGNING_KEY_SECRET must NOT have fewer than 16 characters/],
    [{ NAMESERVERS: 'ns1.example,,' }, /NAMESERVERS must be host names/],
    [{ NAMESERVERS: '192.0.2.1' }, /NAMESERVERS must be host names/],
    [{ NAMESERVER_LOOKUP: 'dns.example' }, /NAMESERVER_LOOKUP must match/],
    [{ DOMAIN_PROOF: 'false' }, /^invalid setting: DOMAIN_PROOF must be one of on, off$/],
    [{ HOSTING_SECRET: 'short' }, /HOSTING_SECRET must NOT have fewer than 16 characters/],
    [{ ALLOW_PRIVATE_BACKENDS: 'maybe' }, /ALLOW_PRIVATE_BACKENDS must be boolean/],
    [{ TRUST_PROXY: 'perhaps' }, /TRUST_PROXY: .*perhaps/],
    [{ DATABASE_URL: 'mysql://localhost' }, /DATABASE_URL must match/],
    [{ LOG_LEVEL: 'loud' }, /^invalid setting: LOG_LEVEL must be one of debug, info, warn, error, silent$/],
  ];
  for (const [change, message] of cases) {
    t.throws(() => readConfig({ ...required, ...change }), { message }, JSON.stringify(change));
  }
});
