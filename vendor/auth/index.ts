/**
 * @carton/auth: the people who work for a merchant, how they join and how they sign in.
 */
import { firstStaffInviters } from '@carton/core';
import { accessKinds, definePackage } from '@carton/runtime';
import { staffAccess } from './access.ts';
import { staffInvited, staffJoined } from './events.ts';
import { logInStaff, logOutStaff, readMe } from './routes/session.ts';
import { acceptInvite, createInvite, listInvites, listStaff, readStaff, revokeInvite } from './routes/staff.ts';
import { invite } from './service.ts';

export default definePackage({
  routes: [
    logInStaff,
    logOutStaff,
    readMe,
    listStaff,
    readStaff,
    listInvites,
    createInvite,
    revokeInvite,
    acceptInvite,
  ],
  events: [staffInvited, staffJoined],
  extends: [
    accessKinds.with(staffAccess),
    firstStaffInviters.with((db, email) => invite(db, { email, role: 'owner' })),
  ],
});
