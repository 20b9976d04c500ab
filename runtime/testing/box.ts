/**
 * A box for a test: the real engine and packages on a real database and port, with a shop in it.
 */
import { randomBytes } from 'node:crypto';
import { type Logger, pino } from 'pino';
import { boot, type RunningBox } from '../boot.ts';
import type { Tier } from '../box/tier.ts';
import { type BoxDatabase, openDatabase } from '../db/database.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { noRateLimits, type RateLimits } from '../http/rate-limit.ts';
import { type Caller, callerOf } from './client.ts';
import { createTestDatabase } from './database.ts';
import { packagesOfTier, sourceRoot } from './packages.ts';

/** What a test gives to clean up after it: tap's `t` has it. */
export interface Cleanup {
  teardown(task: () => Promise<void>): void;
}

/** A merchant with its first member of staff signed in. */
export interface TestTenant {
  id: string;
  slug: string;
  /** Signed in as the owner. */
  staff: Caller;
  /** The tenant's database, for looking at what stands in the tables. */
  db: TenantDatabase;
  email: string;
  password: string;
  /** A caller without a credential, reaching this shop. */
  visitor(): Caller;
  /** A shopper, who keeps the session that the box gives. */
  shopper(): Caller;
}

export interface TestBox extends TestTenant {
  box: RunningBox;
  url: string;
  databaseUrl: string;
  /** The database as the owner of its tables, whom row-level security does not bind; for looking and for meddling. */
  owner: BoxDatabase;
  operator: Caller;
  hosting: Caller;
  secrets: { operator: string; hosting: string; metrics: string };
  /** Opens another shop in the same box. */
  openTenant(slug?: string): Promise<TestTenant>;
}

export interface TestBoxOptions {
  tier?: Tier;
  /** Full names; left out, all of the tier. */
  packages?: readonly string[];
  /** A file beside whose node_modules the packages stand; the source tree's own unless given. */
  packagesFrom?: string;
  database?: 'template' | 'empty';
  /** Requests a minute by class; none are counted unless given, and classes left out have no limit. */
  rateLimits?: Partial<RateLimits>;
  /** Which proxies are believed: see `trustedProxy`. */
  trustProxy?: boolean | string;
  /** Cookies for TLS only; false unless given. */
  secureCookies?: boolean;
  /** Milliseconds in which a body has to arrive. */
  bodyDeadline?: number;
  /** Where files of uploads stand while their requests are served. */
  uploadFolder?: string;
  /** Milliseconds in which the reader of a streamed answer has to take what it was sent. */
  readDeadline?: number;
  /** Settings of packages; nothing is set unless given. */
  environment?: NodeJS.ProcessEnv;
  /** Milliseconds from which on a statement is logged as slow; never unless given. */
  slowQueries?: number;
  /** Takes the log; else it goes to standard error at TEST_LOG_LEVEL. */
  log?: Logger;
}

/**
 * Starts a box with one shop and stops it when the test ends.
 * @example const box = await createTestBox(t);
 *          const { status } = await box.staff.post('/admin/products', { … });
 */
export async function createTestBox(t: Cleanup, options: TestBoxOptions = {}): Promise<TestBox> {
  const { tier = 'enterprise', packages = packagesOfTier(tier) } = options;
  const database = await createTestDatabase(options.database);
  const secrets = { operator: secret(), hosting: secret(), metrics: secret() };
  const box = await boot({
    databaseUrl: database.url,
    tier,
    packages,
    packagesFrom: options.packagesFrom ?? sourceRoot,
    operatorSecret: secrets.operator,
    hostingSecret: secrets.hosting,
    metricsSecret: secrets.metrics,
    slowQueries: options.slowQueries,
    strictResponses: true,
    rateLimits: options.rateLimits && { ...noRateLimits, ...options.rateLimits },
    trustProxy: options.trustProxy,
    secureCookies: options.secureCookies ?? false,
    bodyDeadline: options.bodyDeadline,
    uploadFolder: options.uploadFolder,
    readDeadline: options.readDeadline,
    environment: options.environment,
    host: '127.0.0.1',
    port: 0,
    log: options.log ?? pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' }, pino.destination(2)),
  });
  const owner = openDatabase({ url: database.url, poolSize: 2, applicationName: 'test' });
  t.teardown(async () => {
    await owner.close();
    await box.stop();
    await database.drop();
  });
  const openTenant = (slug = `shop-${randomBytes(4).toString('hex')}`) => openTestTenant(box, secrets, slug);
  const first = await openTenant();
  return {
    ...first,
    box,
    url: box.url,
    databaseUrl: database.url,
    owner: owner.box,
    operator: callerOf(box.url, { authorization: `Bearer ${secrets.operator}` }),
    hosting: callerOf(box.url, { 'x-hosting-secret': secrets.hosting }),
    secrets,
    openTenant,
  };
}

function secret(): string {
  return randomBytes(24).toString('base64url');
}

async function openTestTenant(box: RunningBox, secrets: TestBox['secrets'], slug: string): Promise<TestTenant> {
  const reach = { 'x-tenant-slug': slug, 'x-hosting-secret': secrets.hosting };
  const operator = callerOf(box.url, { authorization: `Bearer ${secrets.operator}` });
  const visitor = callerOf(box.url, reach);
  const email = `owner@${slug}.example`;
  const password = secret();
  const made = await operator.post('/admin/tenants', { slug, name: slug, staffEmail: email });
  if (made.status !== 201) throw new Error(`the shop was not opened: ${JSON.stringify(made.body)}`);
  await visitor.post('/admin/invites/accept', { token: made.body.invite.token, name: 'Owner', password });
  const login = await visitor.post('/admin/auth/login', { email, password });
  return {
    id: made.body.id,
    slug,
    staff: callerOf(box.url, { ...reach, authorization: `Bearer ${login.body.token}` }),
    db: box.database.forTenant(made.body.id),
    email,
    password,
    visitor: () => callerOf(box.url, reach),
    shopper: () => callerOf(box.url, reach, true),
  };
}
