/**
 * The scope of a request to a box: its tenant, and that tenant's database handle.
 */
import type { Database } from '../db/database.ts';
import type { AppOptions } from '../http/app-options.ts';
import { Problem } from '../http/problems.ts';
import { isBoxRoute } from './access.ts';
import { ShopperAddresses } from './shopper-address.ts';
import { type BoxSecrets, noTenantId, type TenantResolver, type TenantScope, tenantProblems } from './tenancy.ts';

/** Milliseconds that the database work of a request may take by default. */
export const defaultRequestDeadline = 30_000;

/** @param requestDeadline milliseconds that the database work of a request may take */
export function createTenantScopes(
  database: Database,
  tenants: TenantResolver,
  secrets: BoxSecrets,
  requestDeadline: number,
): { boxScope: TenantScope; scope: AppOptions<TenantScope, never>['scope'] } {
  const addresses = new ShopperAddresses(database, secrets);
  const boxScope: TenantScope = { tenant: null, db: database.forTenant(noTenantId), secrets };
  return {
    boxScope,
    async scope(ctx, route) {
      try {
        const tenant = await tenants.resolve(ctx);
        ctx.state.tenant = tenant.slug;
        // A streamed response takes as long as its reader, an upload as long as its sender; each statement still has its
        // own timeout.
        const { streamed, upload } = route.declaration;
        const deadline = streamed || upload ? undefined : performance.now() + requestDeadline;
        const db = database.forTenant(tenant.id, null, deadline);
        await addresses.apply(ctx, db);
        return { tenant, db, secrets };
      } catch (error) {
        if (isBoxRoute(route) && isTenantProblem(error)) return boxScope;
        throw error;
      }
    },
  };
}

function isTenantProblem(error: unknown): boolean {
  return error instanceof Problem && tenantProblems.some(({ code }) => code === error.type.code);
}
