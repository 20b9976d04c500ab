/**
 * The audit log.
 */
import { route } from '@carton/runtime';
import { AuditEntryPage, AuditLogQuery } from '../schemas.ts';
import { listEntries } from '../store.ts';

export const listAuditEntries = route(
  {
    method: 'get',
    path: '/admin/audit-log',
    operationId: 'listAuditEntries',
    tag: 'Audit',
    summary: 'List who changed what, newest first',
    description: 'Changes made by staff and the operator, with what was there before and after.',
    access: 'staff',
    query: AuditLogQuery,
    status: 200,
    response: AuditEntryPage,
  },
  ({ db, query }) => listEntries(db, query),
);
