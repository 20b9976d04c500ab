/**
 * Rules of tenants: the operator creates and changes all of them, staff change their own.
 */
import {
  deleteTenantAfter,
  findTenantById,
  listTenantRows,
  openTenant,
  setQuotaLimits,
  type TenantRow,
  updateTenant,
} from '@carton/core';
import {
  decodeCursor,
  forbidden,
  notFound,
  type Page,
  pageOfRows,
  publish,
  publishRow,
  type ServicesFor,
  type StaffCaller,
} from '@carton/runtime';
import { tenantCreated, tenantDeleted, tenantSuspended } from './events.ts';
import { removalStarted } from './problems.ts';
import type { ChangeTenant, CreateTenant } from './schemas.ts';
import { tenantSettings } from './settings.ts';

type Caller = Pick<ServicesFor<'staff'>, 'staff' | 'db' | 'box'>;

export function isOperator(staff: StaffCaller): boolean {
  return staff.type === 'operator';
}

export async function listTenants(
  { staff, db, box }: Caller,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<Page<TenantRow>> {
  if (!isOperator(staff)) {
    const own = await findTenantById(box.database, db.tenantId);
    return { items: own ? [own] : [], nextCursor: null };
  }
  const place = cursor === undefined ? null : decodeCursor(cursor, 'slug');
  const rows = await listTenantRows(box.database, place && [String(place[1]), place[2]], limit + 1);
  return pageOfRows(rows, limit, ({ slug, id }) => ['slug', slug, id]);
}

/** @throws forbidden (403) for staff */
export async function createTenant({ staff, box }: Caller, body: CreateTenant) {
  if (!isOperator(staff)) throw forbidden('Only the operator of the box can create tenants.');
  const { slug, name, staffEmail, defaultCurrency = 'EUR', defaultLocale = 'en', quotas = {} } = body;
  const { tenant, invite } = await openTenant(
    box.database,
    { slug, name, defaultCurrency, defaultLocale, firstStaffEmail: staffEmail },
    async (db) => {
      await setQuotaLimits(db, quotas);
      await publish(db, tenantCreated, { type: 'tenant', id: db.tenantId }, { slug });
    },
  );
  await box.invalidateTenants();
  return { ...tenant, invite };
}

/** The tenant with this id. @throws not_found (404), also if staff pass the id of another tenant */
export async function readTenant({ staff, db, box }: Caller, id: string): Promise<TenantRow> {
  const tenant = isOperator(staff) || id === db.tenantId ? await findTenantById(box.database, id) : null;
  if (!tenant) throw notFound(`No tenant has the id ${id}.`);
  return tenant;
}

/**
 * Changes a tenant. Reinstating a deleted one takes the deletion back.
 * @throws not_found (404), forbidden (403) if staff change more than the name, tenant_removal_started (409)
 */
export async function changeTenant(caller: Caller, id: string, { quotas, ...patch }: ChangeTenant): Promise<TenantRow> {
  const before = await readTenant(caller, id);
  if (patch.status && !isOperator(caller.staff))
    throw forbidden('Only the operator can suspend or reinstate a tenant.');
  if (quotas && !isOperator(caller.staff)) throw forbidden('Only the operator can set quotas.');
  const after = await caller.box.database.forTenant(id).transaction(async (db) => {
    const changed = await updateTenant(db, patch);
    if (!changed) throw removalStarted('It cannot be reinstated any more.');
    await setQuotaLimits(db, quotas ?? {});
    if (before.status === 'active' && changed.status === 'suspended') {
      await publishRow(db, tenantSuspended, 'tenant', changed);
    }
    return changed;
  });
  await caller.box.invalidateTenants();
  return after;
}

/**
 * Deletes a tenant: it is suspended, and its data is removed after `TENANT_DELETION_DAYS`. Repeating it changes nothing.
 * @throws not_found (404), forbidden (403) for staff
 */
export async function deleteTenant(caller: Caller, id: string): Promise<TenantRow> {
  const before = await readTenant(caller, id);
  if (!isOperator(caller.staff)) throw forbidden('Only the operator can delete tenants.');
  const { database } = caller.box;
  const after = await database.forTenant(id).transaction(async (db) => {
    const deleted = await deleteTenantAfter(db, tenantSettings.of(database).deletionDays);
    if (!deleted) throw notFound(`No tenant has the id ${id}.`);
    if (before.status === 'active') await publishRow(db, tenantSuspended, 'tenant', deleted);
    if (before.deletedAt === null) {
      await publishRow(db, tenantDeleted, 'tenant', deleted, { deletionAt: deleted.deletionAt as string });
    }
    return deleted;
  });
  await caller.box.invalidateTenants();
  return after;
}
