/**
 * Which merchant a request is for: named by the hosting layer in front of the box, or by the host it was sent to,
 * or the only one there is.
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

/** What a request belongs to. */
export interface TenantScope {
  tenant: Tenant | null;
  /** The tenant's database; for a request of the box itself, one that holds no tenant. */
  db: TenantDatabase;
  secrets: BoxSecrets;
}

export interface BoxSecrets {
  operator: string | undefined;
  hosting: string | undefined;
  /** Opens the metrics; the operator's does too. */
  metrics?: string | undefined;
}

/** Where tenants are looked up; packages contribute what they know. Each answers null for what it does not know. */
export interface TenantDirectory {
  bySlug?(database: Database, slug: string): Promise<Tenant | null>;
  byHost?(database: Database, host: string): Promise<Tenant | null>;
  /** The tenant of a box that has exactly one. */
  only?(database: Database): Promise<Tenant | null>;
  /** Origins whose pages may call for a tenant: `https://shop.example.com`, `https://*.example.com`. */
  origins?(database: Database, tenantId: string): Promise<readonly string[]>;
}
export const tenantDirectories = extensionPoint<TenantDirectory>('tenant.directory');

export const tenantNotFound = defineProblem({
  code: 'tenant_not_found',
  status: 404,
  title: 'No shop is served at this address',
});
export const hostingSecretRequired = defineProblem({
  code: 'hosting_secret_required',
  status: 403,
  title: 'The hosting secret is needed to name a shop',
});
export const tenantSuspended = defineProblem({
  code: 'tenant_suspended',
  status: 403,
  title: 'This shop is suspended',
});

/** What every operation of a tenant may answer. */
export const tenantProblems = [tenantNotFound, hostingSecretRequired, tenantSuspended];

/** Nobody's id: a database handle with it sees no tenant's rows. */
export const noTenantId = '00000000-0000-0000-0000-000000000000';

const rememberedMilliseconds = 5_000;

/** Finds tenants, remembering each answer for a few seconds; `forget` is for whoever changes a tenant. */
export class TenantResolver {
  readonly #database: Database;
  readonly #secrets: BoxSecrets;
  readonly #remembered = new Map<string, { answer: Promise<unknown>; until: number }>();

  constructor(database: Database, secrets: BoxSecrets) {
    this.#database = database;
    this.#secrets = secrets;
  }

  /** @throws tenant_not_found (404), hosting_secret_required (403), tenant_suspended (403) */
  async resolve(ctx: Context): Promise<Tenant> {
    const slug = ctx.get(tenantSlugHeader);
    const found = slug ? await this.#named(ctx, slug) : await this.#addressed(ctx);
    if (found instanceof Error) throw found;
    if (!found) throw tenantNotFound(slug ? `No shop is called ${slug}.` : `No shop is served at ${ctx.hostname}.`);
    if (found.status === 'suspended') throw tenantSuspended();
    return found;
  }

  /** The origins whose pages may call what this request is for: of its tenant, of nobody when it has none. */
  async originsFor(ctx: Context): Promise<readonly string[]> {
    const tenant = await this.resolve(ctx).catch((error) => {
      if (error instanceof Problem && tenantProblems.some(({ code }) => code === error.type.code)) return null;
      throw error;
    });
    if (!tenant) return [];
    return this.#remember(`origins ${tenant.id}`, async () => {
      const directories = tenantDirectories.of(this.#database);
      const found = directories.map((directory) => directory.origins?.(this.#database, tenant.id) ?? []);
      return (await Promise.all(found)).flat();
    });
  }

  forget(): void {
    this.#remembered.clear();
  }

  async #named(ctx: Context, slug: string): Promise<Tenant | null | Problem> {
    if (!secretsEqual(ctx.get(hostingSecretHeader), this.#secrets.hosting)) {
      return hostingSecretRequired(
        `${tenantSlugHeader} is believed with the hosting secret in ${hostingSecretHeader} only.`,
      );
    }
    return this.#remember(`slug ${slug}`, () => this.#ask((directory) => directory.bySlug?.(this.#database, slug)));
  }

  async #addressed(ctx: Context): Promise<Tenant | null> {
    const host = ctx.hostname.toLowerCase().replace(/\.$/, '');
    const byHost = await this.#remember(`host ${host}`, () =>
      this.#ask((directory) => directory.byHost?.(this.#database, host)),
    );
    return byHost ?? this.#remember('only', () => this.#ask((directory) => directory.only?.(this.#database)));
  }

  #remember<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const now = Date.now();
    const kept = this.#remembered.get(key);
    if (kept && kept.until > now) return kept.answer as Promise<T>;
    if (this.#remembered.size > 10_000) this.#remembered.clear();
    const answer = ask();
    this.#remembered.set(key, { answer, until: now + rememberedMilliseconds });
    answer.catch(() => this.#remembered.delete(key));
    return answer;
  }

  async #ask(ask: (directory: TenantDirectory) => Promise<Tenant | null> | undefined): Promise<Tenant | null> {
    for (const directory of tenantDirectories.of(this.#database)) {
      const tenant = await ask(directory);
      if (tenant) return tenant;
    }
    return null;
  }
}

/** The partner who runs the box: the secret from the box's env file. */
export const operatorAccess: AccessKind<TenantScope, { staff: StaffCaller }, 'operator'> = {
  name: 'operator',
  schemes: { operatorSecret: { type: 'http', scheme: 'bearer', description: "The operator's secret of this box" } },
  authenticate(ctx, { secrets }) {
    if (!secretsEqual(bearerToken(ctx), secrets.operator)) return null;
    return { staff: { type: 'operator', id: noTenantId, label: 'operator', permissions: ['*'] } };
  },
};

/** The website hosting layer in front of the box. */
export const hostingAccess: AccessKind<TenantScope, { hosting: true }, 'hosting'> = {
  name: 'hosting',
  schemes: { hostingSecret: { type: 'apiKey', in: 'header', name: hostingSecretHeader } },
  authenticate: (ctx, { secrets }) =>
    secretsEqual(ctx.get(hostingSecretHeader), secrets.hosting) ? { hosting: true } : null,
};
