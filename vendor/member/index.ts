/**
 * @carton/member: accounts of shoppers.
 */
import { storeSettingsGroups } from '@carton/core';
import { definePackage, mailTemplates, memberAuthenticators, personalData } from '@carton/runtime';
import { memberAuthenticator } from './access.ts';
import { linkRequests, memberCreated, memberErased, memberLoggedIn, memberUpdated } from './events.ts';
import { mails } from './mails.ts';
import { personalMembers } from './persons.ts';
import { accountRoutes } from './routes/account.ts';
import { addressRoutes } from './routes/addresses.ts';
import { adminRoutes } from './routes/admin.ts';
import { profileRoutes } from './routes/profile.ts';
import { sessionRoutes } from './routes/session.ts';
import { memberSettings } from './settings.ts';
import { forgetExpired } from './sweep.ts';

export default definePackage({
  routes: [...accountRoutes, ...sessionRoutes, ...profileRoutes, ...addressRoutes, ...adminRoutes],
  events: [memberCreated, memberUpdated, memberLoggedIn, memberErased, ...Object.values(linkRequests)],
  jobs: [forgetExpired],
  extends: [
    memberAuthenticators.with(memberAuthenticator),
    storeSettingsGroups.with(memberSettings),
    personalData.with(personalMembers),
    ...mails.map((mail) => mailTemplates.with(mail)),
  ],
});
