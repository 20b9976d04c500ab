/**
 * The route of the audit log.
 */
import { route } from '@carton/runtime';
import { AuditEntryPage, AuditLogQuery } from './schemas.ts';
import { listEntries } from './store.ts';

export const listAuditEntries = route(
  {
    method: 'get',
    path: '/admin/audit-log',
    operationId: 'listAuditEntries',
    tag: 'Audit',
    summary: 'List the audit log, newest first',
    description: 'Changes by staff, API keys and the operator, with the values before and after.',
    access: 'staff',
    query: AuditLogQuery,
    status: 200,
    response: AuditEntryPage,
  },
  ({ db, query }) => listEntries(db, query),
);
