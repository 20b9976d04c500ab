/**
 * @carton/download: files that buyers of a variant download.
 */
import { storeSettingsGroups } from '@carton/core';
import { orderRefundListeners, orderTimelineTypes } from '@carton/order';
import { definePackage, mailTemplates } from '@carton/runtime';
import { downloadFile, readMemberDownload } from './content/routes.ts';
import { releaseDeleted } from './files/release.ts';
import { adminDownloads, createDownload, listVariantDownloads, readDownloadFile } from './files/routes.ts';
import { linksRequested } from './grants/events.ts';
import { followOrders, followRefunds } from './grants/follow.ts';
import { linksMail } from './grants/mails.ts';
import { adminDownloadGrants, listMemberDownloads, listOrderDownloads, sendOrderDownloads } from './grants/routes.ts';
import { downloadSettings } from './grants/settings.ts';

export default definePackage({
  routes: [
    createDownload,
    listVariantDownloads,
    ...adminDownloads,
    readDownloadFile,
    listOrderDownloads,
    sendOrderDownloads,
    ...adminDownloadGrants,
    listMemberDownloads,
    readMemberDownload,
    downloadFile,
  ],
  events: [linksRequested],
  subscribers: [followOrders],
  jobs: [releaseDeleted],
  extends: [
    storeSettingsGroups.with(downloadSettings),
    orderTimelineTypes.with({ type: 'download', label: 'Download' }),
    orderRefundListeners.with(async (tx, orderId) => {
      await followRefunds(tx, orderId);
    }),
    mailTemplates.with(linksMail),
  ],
});
