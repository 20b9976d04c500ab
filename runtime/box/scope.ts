/**
 * What a request to a box belongs to: its tenant, and the database as that tenant's.
 */
import type { Database } from '../db/database.ts';
import type { AppOptions } from '../http/app-options.ts';
import { Problem } from '../http/problems.ts';
import { isBoxRoute } from './access.ts';
import { type BoxSecrets, noTenantId, type TenantResolver, type TenantScope, tenantProblems } from './tenancy.ts';

/** Milliseconds that a request's work in the database may take, unless told. */
export const defaultRequestDeadline = 30_000;

/** @param requestDeadline milliseconds in which a request's work in the database has to be done */
export function createTenantScopes(
  database: Database,
  tenants: TenantResolver,
  secrets: BoxSecrets,
  requestDeadline: number,
): { boxScope: TenantScope; scope: AppOptions<TenantScope, never>['scope'] } {
  const boxScope: TenantScope = { tenant: null, db: database.forTenant(noTenantId), secrets };
  return {
    boxScope,
    async scope(ctx, route) {
      try {
        const tenant = await tenants.resolve(ctx);
        ctx.state.tenant = tenant.slug;
        // A streamed answer takes as long as its reader does; each of its statements still has its own time.
        const deadline = route.declaration.streamed ? undefined : performance.now() + requestDeadline;
        return { tenant, db: database.forTenant(tenant.id, null, deadline), secrets };
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
