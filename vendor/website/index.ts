/**
 * @carton/website: the pages, menus, redirects, sitemap and contact form of the store's website.
 */
import { reservedStoreFields, storeSettingsGroups } from '@carton/core';
import {
  addressesByHandle,
  addressMoveListeners,
  definePackage,
  mailTemplates,
  personalData,
  storefrontAddresses,
  storefrontTargets,
  targetsByHandle,
} from '@carton/runtime';
import { contactMail } from './contact/mails.ts';
import { personalMessages } from './contact/persons.ts';
import { adminMessages, readContactToken, sendMessage } from './contact/routes.ts';
import { announceDelayed, forgetOldMessages } from './contact/service.ts';
import { websiteSettings } from './contact/settings.ts';
import { contactReceived, pagePublished } from './events.ts';
import { adminMenus, readMenu } from './menus/routes.ts';
import { adminPages, readPage } from './pages/routes.ts';
import { announceDuePages } from './pages/service.ts';
import { changesAt, visibleCondition } from './pages/store.ts';
import { adminRedirects, resolveRedirect } from './redirects/routes.ts';
import { leaveRedirect } from './redirects/service.ts';
import { robots, sitemap, sitemapPart } from './sitemap/routes.ts';

const visible = async () => ({ sql: visibleCondition, values: [] });

export default definePackage({
  routes: [
    ...readPage,
    ...adminPages,
    ...readMenu,
    ...adminMenus,
    resolveRedirect,
    ...adminRedirects,
    sitemap,
    sitemapPart,
    robots,
    readContactToken,
    sendMessage,
    ...adminMessages,
  ],
  events: [pagePublished, contactReceived],
  jobs: [announceDuePages, announceDelayed, forgetOldMessages],
  extends: [
    storeSettingsGroups.with(websiteSettings),
    // Messages by the contact form are sent there.
    reservedStoreFields.with({ field: 'email', permission: 'website:read' }),
    mailTemplates.with(contactMail),
    storefrontAddresses.with(addressesByHandle('pages', { visible, changesAt })),
    personalData.with(personalMessages),
    addressMoveListeners.with(leaveRedirect),
    storefrontTargets.with(targetsByHandle({ name: 'page', table: 'pages', visible })),
  ],
});
