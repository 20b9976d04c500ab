/**
 * @carton/website: the pages, menus, redirects, sitemap and contact form of the store's website.
 */
import {
  addressesByHandle,
  addressMoveListeners,
  definePackage,
  personalData,
  storefrontAddresses,
  storefrontTargets,
  targetsByHandle,
} from '@carton/runtime';
import { personalMessages } from './contact/persons.ts';
import { adminMessages, sendMessage } from './contact/routes.ts';
import { forgetOldMessages } from './contact/service.ts';
import { contactReceived, pagePublished } from './events.ts';
import { adminMenus, readMenu } from './menus/routes.ts';
import { adminPages, readPage } from './pages/routes.ts';
import { announceDuePages } from './pages/service.ts';
import { visibleCondition } from './pages/store.ts';
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
    sendMessage,
    ...adminMessages,
  ],
  events: [pagePublished, contactReceived],
  jobs: [announceDuePages, forgetOldMessages],
  extends: [
    storefrontAddresses.with(addressesByHandle('pages', visible)),
    personalData.with(personalMessages),
    addressMoveListeners.with(leaveRedirect),
    storefrontTargets.with(targetsByHandle({ name: 'page', table: 'pages', visible })),
  ],
});
