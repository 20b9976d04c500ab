/**
 * The rows of the contract (docs/contract.md) that concern the control plane, as requests to any running one and their
 * answers.
 */
import { createPublicKey } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Caller, callerOf, exactly } from '@carton/runtime/testing';
import { jwtVerify } from 'jose';
import type { Test } from 'tap';

/** A running control plane with a published release, and its secrets. */
export interface RunningControlPlane {
  url: string;
  adminSecret: string;
  registrySecret: string;
  registryUrl: string;
}

/** A control plane with the keys and the box that the rows ask about. */
interface Prepared extends RunningControlPlane {
  admin: Caller;
  registry: Caller;
  /** Without a credential. */
  visitor: Caller;
  /** Sends the licence key of the box as a bearer token. */
  customer: Caller;
  /** Licence keys by tier, and one that has expired. */
  keys: Record<'basic' | 'growth' | 'enterprise' | 'expired', string>;
  box: { key: string; name: string; backendUrl: string; frontendUrl: string; domains: string[] };
}

interface Row {
  /** The section of the contract, and what it says. */
  row: string;
  call(plane: Prepared): Promise<Answer>;
  status: number;
  /** A pattern of the body. */
  body?: unknown;
  /** The exact names of its fields, where the contract has them all. */
  fields?: readonly string[];
}

const report = { customerId: 'contract', tier: 'growth', packageName: '@carton/cart', version: '1.0.0' };
const allowed = { ...report, outcome: 'allowed' };
const minting = { customerId: 'contract', tier: 'basic' };
const unknownKey = 'ctn_basic_unknown';
const callWith = ({ url }: Prepared, bearer: string) => callerOf(url, { authorization: `Bearer ${bearer}` });

const mint = ({ admin }: Prepared, change: object) => admin.post('/license/keys', { ...minting, ...change });
const tell = ({ registry }: Prepared, change: object) =>
  registry.post('/telemetry/download', { ...allowed, ...change });
const deploy = ({ visitor, box }: Prepared, change: object) => visitor.post('/boxes/deploy', { ...box, ...change });
const activate = ({ visitor }: Prepared, key: unknown) => visitor.post('/license/activate', { key });
const resolve = ({ visitor }: Prepared, host: string) => visitor.get(`/boxes/resolve?host=${host}`);

/** A field that is required (`undefined`), or cannot have these values: the response is 400 and names it. */
function refused(
  dto: string,
  call: (plane: Prepared, change: object) => Promise<Answer>,
  fields: Record<string, unknown[]>,
) {
  return Object.entries(fields).flatMap(([field, values]) =>
    values.map(
      (value): Row => ({
        row: `${dto}: ${field} ${value === undefined ? 'is required' : `cannot be ${JSON.stringify(value)}`}`,
        call: (plane) => call(plane, { [field]: value }),
        status: 400,
        body: { errors: exactly([{ pointer: `/${field}` }]) },
      }),
    ),
  );
}

/** A request without its credential, with an unknown one, and with the credential of another endpoint: each is 401. */
function unauthorized(
  endpoint: string,
  call: (caller: Caller) => Promise<Answer>,
  other: keyof RunningControlPlane,
): Row[] {
  const callers: Record<string, (plane: Prepared) => Caller> = {
    'no credential': ({ visitor }) => visitor,
    'an unknown credential': (plane) => callWith(plane, 'unknown'),
    'the credential of another endpoint': (plane) => callWith(plane, plane[other]),
  };
  return Object.entries(callers).map(([what, callerFor]) => ({
    row: `Authentication 3: ${endpoint} with ${what}`,
    call: (plane) => call(callerFor(plane)),
    status: 401,
  }));
}

const rows: readonly Row[] = [
  ...refused('MintLicenseDto', mint, {
    customerId: [undefined, 7],
    tier: [undefined, 'gold'],
    expiresAt: ['tomorrow'],
  }),
  {
    row: 'MintLicenseDto: a key without expiresAt never expires',
    call: (plane) => mint(plane, {}),
    status: 201,
    body: { expiresAt: null },
  },
  ...['basic', 'growth', 'enterprise'].map(
    (tier): Row => ({
      row: `POST /license/keys: a key of the tier ${tier}`,
      call: (plane) => mint(plane, { tier, expiresAt: '2099-01-01T00:00:00Z' }),
      status: 201,
      body: { key: new RegExp(`^ctn_${tier}_`), tier, customerId: 'contract', expiresAt: '2099-01-01T00:00:00.000Z' },
    }),
  ),
  ...refused('ActivateDto', ({ visitor }, change) => visitor.post('/license/activate', change), {
    key: [undefined, 7],
  }),
  ...(['basic', 'growth', 'enterprise'] as const).map(
    (tier): Row => ({
      row: `POST /license/activate: a key of the tier ${tier}`,
      call: (plane) => activate(plane, plane.keys[tier]),
      status: 200,
      body: { tier, customerId: 'contract', expiresIn: 3600, token: /^[\w-]+\.[\w-]+\.[\w-]+$/ },
      fields: ['customerId', 'expiresIn', 'packages', 'registryUrl', 'tier', 'token'],
    }),
  ),
  { row: 'POST /license/activate: an unknown key', call: (plane) => activate(plane, unknownKey), status: 401 },
  {
    row: 'POST /license/activate: an expired key',
    call: (plane) => activate(plane, plane.keys.expired),
    status: 403,
    body: { code: 'license_expired' },
  },
  {
    row: 'GET /license/jwks',
    call: ({ visitor }) => visitor.get('/license/jwks'),
    status: 200,
    body: { algorithm: 'RS256', issuer: 'carton-control-plane', publicKey: /^-----BEGIN PUBLIC KEY-----/ },
    fields: ['algorithm', 'issuer', 'publicKey'],
  },
  ...refused('TelemetryDownloadDto', tell, {
    customerId: [undefined, 7],
    tier: [undefined, 'gold'],
    packageName: [undefined, 7],
    version: [7],
    outcome: [undefined, 'served'],
  }),
  ...[allowed, { ...report, outcome: 'denied', version: undefined }].map(
    (sent): Row => ({
      row: `POST /telemetry/download: ${sent.outcome}`,
      call: (plane) => tell(plane, sent),
      status: 202,
      body: { accepted: true },
      fields: ['accepted'],
    }),
  ),
  ...refused('DeployBoxDto', deploy, {
    key: [undefined, 7],
    name: [undefined, 7],
    backendUrl: [undefined, 'box'],
    frontendUrl: ['shop'],
    domains: [undefined, 'shop.contract.example'],
  }),
  {
    row: 'POST /boxes/deploy: an unknown key',
    call: (plane) => deploy(plane, { key: unknownKey }),
    status: 401,
  },
  {
    row: 'POST /boxes/deploy: the registered domains, as they were sent, and two nameservers',
    call: (plane) => deploy(plane, {}),
    status: 200,
    body: { registered: exactly(['Shop.Contract.example', '*.contract.example']), nameservers: exactly([/./, /./]) },
    fields: ['nameservers', 'registered'],
  },
  {
    row: 'GET /boxes/deploy/status',
    call: ({ customer }) => customer.get('/boxes/deploy/status?name=shop'),
    status: 200,
    body: { name: 'shop', domains: exactly([{ state: /./ }, { state: /./ }]) },
  },
  {
    row: 'GET /boxes/resolve: exact, which has no tenantSlug',
    call: (plane) => resolve(plane, 'shop.contract.example'),
    status: 200,
    body: { backendUrl: 'https://box.example', match: 'exact' },
    fields: ['backendUrl', 'match'],
  },
  {
    row: 'GET /boxes/resolve: wildcard',
    call: (plane) => resolve(plane, 'acme.contract.example'),
    status: 200,
    body: { backendUrl: 'https://box.example', match: 'wildcard', tenantSlug: 'acme' },
    fields: ['backendUrl', 'match', 'tenantSlug'],
  },
  { row: 'GET /boxes/resolve: an unknown host', call: (plane) => resolve(plane, 'other.example'), status: 404 },
  ...unauthorized('POST /license/keys', (caller) => caller.post('/license/keys', minting), 'registrySecret'),
  ...unauthorized('POST /telemetry/download', (caller) => caller.post('/telemetry/download', allowed), 'adminSecret'),
  ...unauthorized('GET /boxes/deploy/status', (caller) => caller.get('/boxes/deploy/status?name=shop'), 'adminSecret'),
];

/** Mints the keys that the rows ask about. The expired one is waited for. */
async function prepare(running: RunningControlPlane): Promise<Prepared> {
  const admin = callerOf(running.url, { authorization: `Bearer ${running.adminSecret}` });
  const keyOf = async (tier: string, expiresAt?: string) => {
    const { status, body } = await admin.post('/license/keys', { customerId: 'contract', tier, expiresAt });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body.key as string;
  };
  const end = Date.now() + 1500;
  const keys = {
    expired: await keyOf('basic', new Date(end).toISOString()),
    basic: await keyOf('basic'),
    growth: await keyOf('growth'),
    enterprise: await keyOf('enterprise'),
  };
  while (Date.now() <= end) await sleep(50);
  return {
    ...running,
    admin,
    registry: callerOf(running.url, { authorization: `Bearer ${running.registrySecret}` }),
    visitor: callerOf(running.url),
    customer: callerOf(running.url, { authorization: `Bearer ${keys.growth}` }),
    keys,
    box: {
      key: keys.growth,
      name: 'shop',
      backendUrl: 'https://box.example',
      frontendUrl: 'https://shop.example',
      domains: ['Shop.Contract.example', '*.contract.example'],
    },
  };
}

/** Sends the request of every row, and tests the rules that connect them. */
export async function testControlPlaneRows(t: Test, running: RunningControlPlane): Promise<void> {
  const plane = await prepare(running);
  for (const { row, call, status, body, fields } of rows) {
    const answer = await call(plane);
    t.match(answer, { status, ...(body !== undefined && { body }) }, row);
    if (fields) t.strictSame(Object.keys(answer.body).sort(), fields, `${row}: its fields`);
  }

  const listed = JSON.stringify((await plane.admin.get('/license/keys?limit=100')).body);
  t.notOk(
    Object.values(plane.keys).some((key) => listed.includes(key)),
    'Endpoints 1: a key is returned only when it is minted',
  );

  const activations = await Promise.all(
    (['basic', 'growth', 'enterprise'] as const).map((tier) => activate(plane, plane.keys[tier])),
  );
  const [basic = [], growth = [], enterprise = []] = activations.map(({ body }) => body.packages as string[]);
  t.ok(basic.includes('@carton/core') && !basic.includes('@carton/collection'));
  t.ok(
    basic.every((name) => growth.includes(name)) && growth.every((name) => enterprise.includes(name)),
    'Endpoints 4',
  );

  const { publicKey, issuer, algorithm } = (await plane.visitor.get('/license/jwks')).body;
  const { token, expiresIn, registryUrl } = (activations[0] as Answer).body;
  t.equal(registryUrl, running.registryUrl, 'ActivationResult: registryUrl');
  const verified = await jwtVerify(token, createPublicKey(publicKey), { issuer, algorithms: [algorithm] });
  t.match(verified.payload, { sub: 'contract', tier: 'basic' }, 'Endpoints 3: verified with the key of /license/jwks');
  const { iat = 0, exp = 0 } = verified.payload;
  t.equal(exp - iat, expiresIn, 'Authentication 4: a token lives for expiresIn seconds');
}
