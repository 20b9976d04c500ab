/**
 * @carton/auth: staff accounts, invites, log-in and permissions.
 */
import { firstStaffInviters, staffPermits, tenantQuotas } from '@carton/core';
import { accessKinds, definePackage, mailTemplates } from '@carton/runtime';
import { staffAccess } from './access.ts';
import {
  emailChanged,
  emailChangeRequested,
  logInFailed,
  passwordResetRequested,
  secondFactorDisabled,
  secondFactorEnabled,
  secondFactorReset,
  staffInvited,
  staffJoined,
  staffLoggedIn,
} from './events.ts';
import { invite } from './invites.ts';
import { emailChangedMail, emailChangeMail, inviteMail, passwordResetMail } from './mails.ts';
import { permits } from './permissions.ts';
import { staffQuota } from './quotas.ts';
import { confirmStaffEmail, requestStaffEmail } from './routes/email.ts';
import { acceptInvite, createInvite, listInvites, revokeInvite } from './routes/invites.ts';
import { endStaffSession, listStaffSessions, readMe, updateMe } from './routes/me.ts';
import { requestStaffPasswordReset, resetStaffPassword } from './routes/password.ts';
import {
  beginSecondFactor,
  confirmSecondFactor,
  disableSecondFactor,
  readSecondFactor,
  renewRecoveryCodes,
  resetSecondFactor,
} from './routes/second-factor.ts';
import { completeStaffLogIn, logInStaff, logOutStaff } from './routes/session.ts';
import { removeStaff, staffRoutes } from './routes/staff.ts';
import { authSettings } from './settings.ts';
import { forgetExpired } from './sweep.ts';

export {
  type Attempt,
  type AttemptGuard,
  countLinkRequest,
  countWrongToken,
  guardPassword,
  guardSharedCode,
  limitedByAttempts,
  trustAddress,
  trustDevice,
} from './attempts.ts';
export { type AccountCookieOptions, type AccountCookies, accountCookies } from './cookies.ts';
export { withdrawInvitesBeyond } from './inviters.ts';
export { maximumListedKeys, permissionsOfResponsible, type StaffKeyring, staffKeyrings } from './keys.ts';
export type { LinkRecipient } from './links.ts';
export { hashPassword, verifyPassword } from './password.ts';
export {
  type PermissionHolder,
  type PermissionSource,
  permissionSources,
  permissionsAmong,
  permissionsOf,
  permissionsOfRole,
  permits,
  refuseGrantBeyond,
} from './permissions.ts';
export { resetUnknown, wrongLogIn, wrongPassword } from './problems.ts';
export { issuePasswordReset } from './recovery.ts';
export {
  ExistingPassword,
  exampleToken,
  ForgottenPassword,
  KeyPermissions,
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
    completeStaffLogIn,
    logOutStaff,
    requestStaffPasswordReset,
    resetStaffPassword,
    readMe,
    updateMe,
    listStaffSessions,
    endStaffSession,
    requestStaffEmail,
    confirmStaffEmail,
    readSecondFactor,
    beginSecondFactor,
    confirmSecondFactor,
    renewRecoveryCodes,
    disableSecondFactor,
    ...staffRoutes,
    removeStaff,
    resetSecondFactor,
    listInvites,
    createInvite,
    revokeInvite,
    acceptInvite,
  ],
  jobs: [forgetExpired],
  events: [
    staffInvited,
    staffJoined,
    passwordResetRequested,
    emailChangeRequested,
    emailChanged,
    staffLoggedIn,
    logInFailed,
    secondFactorEnabled,
    secondFactorDisabled,
    secondFactorReset,
  ],
  extends: [
    accessKinds.with(staffAccess),
    firstStaffInviters.with((db, email) => invite(db, { email, role: 'owner' })),
    staffPermits.with((staff, permission) => permits(staff.permissions, permission)),
    tenantQuotas.with(staffQuota),
    mailTemplates.with(inviteMail),
    mailTemplates.with(passwordResetMail),
    mailTemplates.with(emailChangeMail),
    mailTemplates.with(emailChangedMail),
  ],
  settings: authSettings,
});
