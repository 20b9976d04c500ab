/**
 * Resolves the tenant of a request: from the slug that the hosting layer in front of the box sends, else from the host,
 * else the only tenant of the box.
 */
import type { Context } from 'koa';
import type { Database } from '../db/database.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { extensionPoint } from '../extension/extension.ts';
import { type AccessKind, bearerToken, secretsEqual } from '../http/credentials.ts';
import { defineProblem, Problem } from '../http/problems.ts';
import type { StaffCaller } from './staff-caller.ts';

export const hostingSecretHeader = 'X-Hosting-Secret';
export const tenantSlugHeader = 'X-Tenant-Slug';

export const tenantStatuses = ['active', 'suspended'] as const;

export interface Tenant {
  id: string;
  slug: string;
  name: string;
  status: (typeof tenantStatuses)[number];
}

/** The scope of a request. */
export interface TenantScope {
  tenant: Tenant | null;
  /** The tenant's database handle; for a request about the box, one that sees no tenant. */
  db: TenantDatabase;
  secrets: BoxSecrets;
}

export interface BoxSecrets {
  operator: string | undefined;
  hosting: string | undefined;
  /** Grants access to the metrics, as the operator's secret does. */
  metrics?: string | undefined;
}

/** Looks up tenants; contributed by packages. Each function returns null when it finds none. */
export interface TenantDirectory {
  bySlug?(database: Database, slug: string): Promise<Tenant | null>;
  byHost?(database: Database, host: string): Promise<Tenant | null>;
  /** The tenant, if the box has exactly one. */
  only?(database: Database): Promise<Tenant | null>;
  /** Origins whose pages may call the API of a tenant: `https://shop.example.com`, `https://*.example.com`. */
  origins?(database: Database, tenantId: string): Promise<readonly string[]>;
}
export const tenantDirectories = extensionPoint<TenantDirectory>('tenant.directory');

export const tenantNotFound = defineProblem({
  code: 'tenant_not_found',
  status: 404,
  title: 'No store is served at this host',
});
export const hostingSecretRequired = defineProblem({
  code: 'hosting_secret_required',
  status: 403,
  title: 'Selecting a store by its slug requires the hosting secret',
});
export const tenantSuspended = defineProblem({
  code: 'tenant_suspended',
  status: 403,
  title: 'This store is suspended',
});

/** Problems that every operation of a tenant may return. */
export const tenantProblems = [tenantNotFound, hostingSecretRequired, tenantSuspended];

/** The id of no tenant: a database handle with it sees no rows. */
export const noTenantId = '00000000-0000-0000-0000-000000000000';

const cacheMilliseconds = 5_000;

/** Looks up tenants and caches each result for a few seconds. Call `invalidate` after changing a tenant. */
export class TenantResolver {
  readonly #database: Database;
  readonly #secrets: BoxSecrets;
  readonly #cache = new Map<string, { result: Promise<unknown>; until: number }>();

  constructor(database: Database, secrets: BoxSecrets) {
    this.#database = database;
    this.#secrets = secrets;
  }

  /** @throws tenant_not_found (404), hosting_secret_required (403), tenant_suspended (403) */
  async resolve(ctx: Context): Promise<Tenant> {
    const slug = ctx.get(tenantSlugHeader);
    const tenant = slug ? await this.#findBySlug(ctx, slug) : await this.#findByHost(ctx);
    if (!tenant) {
      throw tenantNotFound(
        slug ? `There is no store with the slug ${slug}.` : `No store is served at ${ctx.hostname}.`,
      );
    }
    if (tenant.status === 'suspended') throw tenantSuspended();
    return tenant;
  }

  /** The origins whose pages may call the tenant of a request; empty when it has no tenant. */
  async originsFor(ctx: Context): Promise<readonly string[]> {
    const tenant = await this.resolve(ctx).catch((error) => {
      if (error instanceof Problem && tenantProblems.some(({ code }) => code === error.type.code)) return null;
      throw error;
    });
    if (!tenant) return [];
    return this.#cached(`origins ${tenant.id}`, async () => {
      const directories = tenantDirectories.of(this.#database);
      const found = directories.map((directory) => directory.origins?.(this.#database, tenant.id) ?? []);
      return (await Promise.all(found)).flat();
    });
  }

  invalidate(): void {
    this.#cache.clear();
  }

  async #findBySlug(ctx: Context, slug: string): Promise<Tenant | null> {
    if (!secretsEqual(ctx.get(hostingSecretHeader), this.#secrets.hosting)) {
      throw hostingSecretRequired(`${tenantSlugHeader} is accepted only with the secret in ${hostingSecretHeader}.`);
    }
    return this.#cached(`slug ${slug}`, () => this.#find((directory) => directory.bySlug?.(this.#database, slug)));
  }

  async #findByHost(ctx: Context): Promise<Tenant | null> {
    const host = ctx.hostname.toLowerCase().replace(/\.$/, '');
    const byHost = await this.#cached(`host ${host}`, () =>
      this.#find((directory) => directory.byHost?.(this.#database, host)),
    );
    return byHost ?? this.#cached('only', () => this.#find((directory) => directory.only?.(this.#database)));
  }

  #cached<T>(key: string, query: () => Promise<T>): Promise<T> {
    const now = Date.now();
    const cached = this.#cache.get(key);
    if (cached && cached.until > now) return cached.result as Promise<T>;
    if (this.#cache.size > 10_000) this.#cache.clear();
    const result = query();
    this.#cache.set(key, { result, until: now + cacheMilliseconds });
    result.catch(() => this.#cache.delete(key));
    return result;
  }

  async #find(query: (directory: TenantDirectory) => Promise<Tenant | null> | undefined): Promise<Tenant | null> {
    for (const directory of tenantDirectories.of(this.#database)) {
      const tenant = await query(directory);
      if (tenant) return tenant;
    }
    return null;
  }
}

/** The operator of the box, by the secret in the box's env file. */
export const operatorAccess: AccessKind<TenantScope, { staff: StaffCaller }, 'operator'> = {
  name: 'operator',
  schemes: { operatorSecret: { type: 'http', scheme: 'bearer', description: 'The operator secret of this box' } },
  authenticate(ctx, { secrets }) {
    if (!secretsEqual(bearerToken(ctx), secrets.operator)) return null;
    return { staff: { type: 'operator', id: noTenantId, label: 'operator', permissions: ['*'] } };
  },
};

/** The website hosting layer in front of the box. */
export const hostingAccess: AccessKind<TenantScope, { hosting: true }, 'hosting'> = {
  name: 'hosting',
  schemes: {
    hostingSecret: {
      type: 'apiKey',
      in: 'header',
      name: hostingSecretHeader,
      description: 'The secret that the box shares with the hosting layer',
    },
  },
  authenticate: (ctx, { secrets }) =>
    secretsEqual(ctx.get(hostingSecretHeader), secrets.hosting) ? { hosting: true } : null,
};
