/**
 * @carton/auth: staff accounts, invites, log-in and permissions.
 */
import { firstStaffInviters, staffPermits, tenantQuotas } from '@carton/core';
import { accessKinds, definePackage, mailTemplates } from '@carton/runtime';
import { readMe, updateMe } from './account/routes.ts';
import { emailChanged, emailChangeRequested } from './email/events.ts';
import { emailChangedMail, emailChangeMail } from './email/mails.ts';
import { confirmStaffEmail, requestStaffEmail } from './email/routes.ts';
import { staffInvited, staffJoined } from './invites/events.ts';
import { inviteMail } from './invites/mails.ts';
import { staffQuota } from './invites/quotas.ts';
import { acceptInvite, createInvite, listInvites, revokeInvite } from './invites/routes.ts';
import { invite } from './invites/service.ts';
import { passwordResetRequested } from './passwords/events.ts';
import { passwordResetMail } from './passwords/mails.ts';
import { requestStaffPasswordReset, resetStaffPassword } from './passwords/routes.ts';
import { permits } from './permissions/service.ts';
import { secondFactorDisabled, secondFactorEnabled, secondFactorReset } from './second-factor/events.ts';
import {
  beginSecondFactor,
  confirmSecondFactor,
  disableSecondFactor,
  readSecondFactor,
  renewRecoveryCodes,
  resetSecondFactor,
} from './second-factor/routes.ts';
import { staffAccess } from './sessions/access.ts';
import { logInFailed, staffLoggedIn } from './sessions/events.ts';
import { completeStaffLogIn, endStaffSession, listStaffSessions, logInStaff, logOutStaff } from './sessions/routes.ts';
import { authSettings } from './settings.ts';
import { removeStaff, staffRoutes } from './staff/routes.ts';
import { forgetExpired } from './sweep.ts';

export { guardSharedCode, type TriedCode, tryTrustedCode } from './attempts/codes.ts';
export type { Attempt } from './attempts/counts.ts';
export {
  type AttemptGuard,
  countLinkRequest,
  countWrongToken,
  guardPassword,
  limitedByAttempts,
  trustAddress,
  trustDevice,
} from './attempts/service.ts';
export { type AccountCookieOptions, type AccountCookies, accountCookies } from './cookies.ts';
export { withdrawInvitesBeyond } from './invites/inviters.ts';
export { hashPassword, verifyPassword } from './passwords/hashes.ts';
export { resetUnknown, wrongPassword } from './passwords/problems.ts';
export { ExistingPassword, ForgottenPassword, Password, ResetPassword } from './passwords/schemas.ts';
export { maximumListedKeys, permissionsOfResponsible, type StaffKeyring, staffKeyrings } from './permissions/keys.ts';
export { permissionsOfRole } from './permissions/roles.ts';
export { KeyPermissions, type StaffKey } from './permissions/schemas.ts';
export {
  type PermissionHolder,
  type PermissionSource,
  permissionSources,
  permissionsAmong,
  permissionsOf,
  permits,
  refuseGrantBeyond,
} from './permissions/service.ts';
export { Token } from './schemas.ts';
export { inMinutes, newToken, normalizeEmail } from './secrets.ts';
export { wrongLogIn } from './sessions/problems.ts';
export { LogIn, sessionFields } from './sessions/schemas.ts';
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
