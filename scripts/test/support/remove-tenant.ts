/**
 * Removes the rows of a tenant, slowly, until it is killed: `remove-tenant.ts <database url> <tenant>`.
 */
import { setTimeout } from 'node:timers/promises';
import { removeTenantRows } from '@carton/runtime';
import { openDatabase } from '@carton/runtime/service';

const [url, tenantId] = process.argv.slice(2) as [string, string];
const database = openDatabase({ url });
const options = { task: 'tenant.remove-deleted', milliseconds: 60_000, onBatch: () => setTimeout(20) };
await removeTenantRows(database.forTenant(tenantId), options);
await database.close();
