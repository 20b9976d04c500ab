/**
 * @carton/audit: who changed what, with before and after.
 */
import { changeListeners, definePackage } from '@carton/runtime';
import { listAuditEntries } from './routes/log.ts';
import { recordChange } from './service.ts';

export default definePackage({
  routes: [listAuditEntries],
  extends: [changeListeners.with(recordChange)],
});
