/**
 * @carton/member: accounts of shoppers.
 */
import { storeSettingsGroups } from '@carton/core';
import { definePackage, mailTemplates, memberAuthenticators, personalData } from '@carton/runtime';
import { profileRoutes } from './account/routes.ts';
import { addressRoutes } from './addresses/routes.ts';
import { memberAuthenticator } from './credentials.ts';
import { linkRequests, memberCreated, memberErased, memberLoggedIn, memberUpdated } from './events.ts';
import { mails } from './links/mails.ts';
import { personalMembers } from './members/persons.ts';
import { adminRoutes } from './members/routes.ts';
import { accountRoutes } from './registration/routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
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
