/**
 * @carton/audit: the log of changes by staff, with the values before and after.
 */
import { changeListeners, definePackage, personalData } from '@carton/runtime';
import { personalChanges } from './persons.ts';
import { listAuditEntries } from './routes.ts';
import { recordChange } from './service.ts';

export default definePackage({
  routes: [listAuditEntries],
  extends: [changeListeners.with(recordChange), personalData.with(personalChanges)],
});
