/**
 * @carton/member: accounts of shoppers.
 */
import { storeSettingsGroups } from '@carton/core';
import {
  definePackage,
  mailTemplates,
  memberAuthenticators,
  memberTaxExemptions,
  memberTaxNumbers,
  personalData,
} from '@carton/runtime';
import { personalDataRoutes, profileRoutes } from './account/routes.ts';
import { addressRoutes } from './addresses/routes.ts';
import { emailChangedMail, emailChangeMail, emailInUseMail } from './email/mails.ts';
import { changeMemberEmail } from './email/routes.ts';
import { linkRequests, memberErased, memberEvents, memberLoggedIn } from './events.ts';
import { personalMembers } from './members/persons.ts';
import { adminRoutes } from './members/routes.ts';
import { passwordMissingMail, passwordResetMail } from './passwords/mails.ts';
import { passwordRoutes } from './passwords/routes.ts';
import { registeredAgainMail, registrationMail, verificationMail, welcomeMail } from './registration/mails.ts';
import { registrationRoutes } from './registration/routes.ts';
import { memberAuthenticator } from './sessions/access.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { memberSettings } from './settings.ts';
import { isTaxExempt, taxNumberOfMember } from './store.ts';
import { forgetExpired } from './sweep.ts';

export default definePackage({
  routes: [
    ...registrationRoutes,
    ...passwordRoutes,
    ...sessionRoutes,
    ...profileRoutes,
    changeMemberEmail,
    ...personalDataRoutes,
    ...addressRoutes,
    ...adminRoutes,
  ],
  events: [...Object.values(memberEvents), memberLoggedIn, memberErased, ...Object.values(linkRequests)],
  jobs: [forgetExpired],
  extends: [
    memberAuthenticators.with(memberAuthenticator),
    memberTaxNumbers.with(taxNumberOfMember),
    memberTaxExemptions.with(isTaxExempt),
    storeSettingsGroups.with(memberSettings),
    personalData.with(personalMembers),
    mailTemplates.with(registrationMail),
    mailTemplates.with(registeredAgainMail),
    mailTemplates.with(emailInUseMail),
    mailTemplates.with(verificationMail),
    mailTemplates.with(passwordResetMail),
    mailTemplates.with(passwordMissingMail),
    mailTemplates.with(emailChangeMail),
    mailTemplates.with(emailChangedMail),
    mailTemplates.with(welcomeMail),
  ],
});
