/**
 * @carton/auth: staff accounts, invites, log-in and permissions.
 */
import { firstStaffInviters } from '@carton/core';
import { accessKinds, definePackage, mailTemplates } from '@carton/runtime';
import { staffAccess } from './access.ts';
import { passwordResetRequested, staffInvited, staffJoined } from './events.ts';
import { invite } from './invites.ts';
import { inviteMail, passwordResetMail } from './mails.ts';
import { acceptInvite, createInvite, listInvites, revokeInvite } from './routes/invites.ts';
import { endStaffSession, listStaffSessions, readMe, updateMe } from './routes/me.ts';
import { requestStaffPasswordReset, resetStaffPassword } from './routes/password.ts';
import { logInStaff, logOutStaff } from './routes/session.ts';
import { removeStaff, staffRoutes } from './routes/staff.ts';
import { authSettings } from './settings.ts';
import { forgetExpired } from './sweep.ts';

export {
  type Attempt,
  type AttemptGuard,
  countLinkRequest,
  guardPassword,
  guardToken,
  trustAddress,
  trustDevice,
} from './attempts.ts';
export { type AccountCookieOptions, type AccountCookies, accountCookies } from './cookies.ts';
export { maximumListedKeys, type StaffKeyring, staffKeyrings } from './keys.ts';
export type { LinkRecipient } from './links.ts';
export { hashPassword, verifyPassword } from './password.ts';
export {
  type PermissionHolder,
  type PermissionSource,
  permissionSources,
  permissionsOf,
  permits,
  refuseGrantBeyond,
} from './permissions.ts';
export { resetUnknown, wrongLogIn, wrongPassword } from './problems.ts';
export { issuePasswordReset } from './recovery.ts';
export {
  ExistingPassword,
  exampleToken,
  ForgottenPassword,
  LogIn,
  Password,
  ResetPassword,
  type StaffKey,
  sessionFields,
  Token,
} from './schemas.ts';
export { inMinutes, newToken, normalizeEmail } from './secrets.ts';
export { holdStaff, listOwnerEmails } from './store.ts';

export default definePackage({
  routes: [
    logInStaff,
    logOutStaff,
    requestStaffPasswordReset,
    resetStaffPassword,
    readMe,
    updateMe,
    listStaffSessions,
    endStaffSession,
    ...staffRoutes,
    removeStaff,
    listInvites,
    createInvite,
    revokeInvite,
    acceptInvite,
  ],
  jobs: [forgetExpired],
  events: [staffInvited, staffJoined, passwordResetRequested],
  extends: [
    accessKinds.with(staffAccess),
    firstStaffInviters.with((db, email) => invite(db, { email, role: 'owner' })),
    mailTemplates.with(inviteMail),
    mailTemplates.with(passwordResetMail),
  ],
  settings: authSettings,
});
