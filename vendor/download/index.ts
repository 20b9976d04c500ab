/**
 * @carton/download: files that buyers of a variant download.
 */
import { storeSettingsGroups } from '@carton/core';
import { orderRefundListeners, orderTimelineTypes } from '@carton/order';
import { definePackage, mailTemplates } from '@carton/runtime';
import { linksRequested } from './events.ts';
import { followOrders, followRefunds } from './follow.ts';
import { linksMail } from './mails.ts';
import { releaseDeleted } from './release.ts';
import { downloadFile } from './routes/downloads.ts';
import { adminDownloads, createDownload, listVariantDownloads, readDownloadFile } from './routes/files.ts';
import {
  adminDownloadGrants,
  listMemberDownloads,
  listOrderDownloads,
  readMemberDownload,
  sendOrderDownloads,
} from './routes/grants.ts';
import { downloadSettings } from './settings.ts';

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
