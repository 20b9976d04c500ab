/**
 * A box for a test: the real engine and packages on a real database and port, with one tenant.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { makePasswordsQuick } from '@carton/auth/testing/quick-passwords';
import type { Logger } from 'pino';
import type { Tier } from '../box/tier.ts';
import { type BoxDatabase, openDatabase } from '../db/database.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import type { Contribution } from '../extension/extension.ts';
import { noRateLimits, type RateLimits } from '../http/rate-limit.ts';
import { type RunningBox, startBox } from '../start-box.ts';
import { type Caller, callerOf } from './client.ts';
import { createTestDatabase } from './database.ts';
import { showLogOfFailures } from './failures.ts';
import { temporaryFolder } from './folders.ts';
import { packagesOfTier, sourceRoot, withDependencies } from './packages.ts';
import { openTestLog } from './recent.ts';
import { recordGoodsWrites, refuseUnversionedWrites, unversionedGoods } from './reference-writes.ts';
import { type OpenedTenant, openTenant } from './tenant.ts';

/** Registers tasks that run after the test; tap's `t` implements it. */
export interface Cleanup {
  teardown(task: () => Promise<void>): void;
}

/** A tenant of a box in this process. */
export interface TestTenant extends OpenedTenant {
  /** The tenant's database, to inspect rows. */
  db: TenantDatabase;
}

export interface TestBox extends TestTenant {
  box: RunningBox;
  url: string;
  databaseUrl: string;
  /** The database as the owner of its tables, who bypasses row-level security; to inspect and modify rows. */
  owner: BoxDatabase;
  operator: Caller;
  hosting: Caller;
  secrets: { operator: string; hosting: string; metrics: string };
  /** Creates another tenant in the same box. */
  openTenant(slug?: string): Promise<TestTenant>;
}

export interface TestBoxOptions {
  tier?: Tier;
  /** Full names; their dependencies are added. Default: all packages of the tier. */
  packages?: readonly string[];
  /** A file beside the node_modules with the packages. Default: the source tree's. */
  packagesFrom?: string;
  /** Contributions to extension points, besides those of the packages. `extendBox` contributes for one test. */
  extends?: readonly Contribution[];
  database?: 'template' | 'empty';
  /** Requests a minute by class; other classes have no limit. Default: no limits. */
  rateLimits?: Partial<RateLimits>;
  /** The proxies to trust: see `trustedProxy`. */
  trustProxy?: boolean | string;
  /** Cookies for TLS only. Default: false. */
  secureCookies?: boolean;
  /** Milliseconds for the arrival of a body. */
  bodyDeadline?: number;
  /** Milliseconds for the database work of a request. */
  requestDeadline?: number;
  /** The folder for uploaded files during their requests. */
  uploadFolder?: string;
  /** The folder for files that packages store. Default: a temporary one. */
  dataFolder?: string;
  /** Milliseconds for the client to read each chunk of a streamed response. */
  readDeadline?: number;
  /** Settings of packages. Default: none. */
  environment?: NodeJS.ProcessEnv;
  /** Milliseconds from which a statement is logged as slow. Default: never. */
  slowQueries?: number;
  /** Secret of the website hosting layer. Default: a new one. */
  hostingSecret?: string;
  /** False to repair responses that their schemas refuse, as in production. Default: true, so that they fail. */
  strictResponses?: boolean;
  /** Milliseconds until the first work on indexes. Default: never, unless the test calls `keepIndexes`. */
  indexWorkAfter?: number;
  /** True for jobs that run only when the test runs them, or makes them due: they would delete the old rows it makes. */
  idleJobs?: boolean;
  /** Default: shown with a failure, and at the level TEST_LOG_LEVEL on standard error. */
  log?: Logger;
}

/**
 * Starts a box with one tenant and stops it when the test ends.
 * @example const box = await createTestBox(t);
 *          const { status } = await box.staff.post('/admin/products', { … });
 */
export async function createTestBox(t: Cleanup, options: TestBoxOptions = {}): Promise<TestBox> {
  showLogOfFailures(t);
  const { tier = 'enterprise', packages = packagesOfTier(tier) } = options;
  // At production cost each tenant of each box would take a third of a second for its owner's password.
  makePasswordsQuick();
  const database = await createTestDatabase(options.database);
  const dataFolder = options.dataFolder ?? (await temporaryFolder('box-data-'));
  const secrets = { operator: secret(), hosting: options.hostingSecret ?? secret(), metrics: secret() };
  const box = await startBox({
    databaseUrl: database.url,
    tier,
    packages: withDependencies(packages),
    packagesFrom: options.packagesFrom ?? sourceRoot,
    extends: options.extends,
    operatorSecret: secrets.operator,
    hostingSecret: secrets.hosting,
    metricsSecret: secrets.metrics,
    slowQueries: options.slowQueries,
    strictResponses: options.strictResponses ?? true,
    rateLimits: options.rateLimits && { ...noRateLimits, ...options.rateLimits },
    trustProxy: options.trustProxy,
    secureCookies: options.secureCookies ?? false,
    bodyDeadline: options.bodyDeadline,
    requestDeadline: options.requestDeadline,
    uploadFolder: options.uploadFolder,
    dataFolder,
    readDeadline: options.readDeadline,
    environment: options.environment,
    indexWorkAfter: options.indexWorkAfter ?? null,
    host: '127.0.0.1',
    port: 0,
    log: options.log ?? openTestLog(),
  });
  const owner = openDatabase({ url: database.url, poolSize: 2, applicationName: 'test' });
  t.teardown(async () => {
    await box.stop();
    const unversioned = await unversionedGoods(owner.box);
    await owner.close();
    await database.drop();
    if (options.dataFolder === undefined) await rm(dataFolder, { recursive: true, force: true });
    if (unversioned.length > 0)
      throw new Error(`written without a new version of the goods: ${unversioned.join(', ')}`);
  });
  if (options.idleJobs) await owner.box.query("alter table background_tasks alter due_at set default 'infinity'");
  await refuseUnversionedWrites(owner.box);
  await recordGoodsWrites(owner.box);
  const openAnother = (slug?: string) => createTestTenant(box, secrets, slug);
  const first = await openAnother();
  return {
    ...first,
    box,
    url: box.url,
    databaseUrl: database.url,
    owner: owner.box,
    operator: callerOf(box.url, { authorization: `Bearer ${secrets.operator}` }),
    hosting: callerOf(box.url, { 'x-hosting-secret': secrets.hosting }),
    secrets,
    openTenant: openAnother,
  };
}

function secret(): string {
  return randomBytes(24).toString('base64url');
}

async function createTestTenant(box: RunningBox, secrets: TestBox['secrets'], slug?: string): Promise<TestTenant> {
  const tenant = await openTenant({ url: box.url, secrets }, slug);
  return { ...tenant, db: box.database.forTenant(tenant.id) };
}
