/**
 * @carton/media: pictures, videos and documents of a store.
 */
import { tenantFiles, tenantQuotas, tenantRemovals } from '@carton/core';
import { definePackage } from '@carton/runtime';
import { mediaCreated, mediaDeleted } from './events.ts';
import { exportedFiles } from './exports.ts';
import { deleteFiles } from './jobs.ts';
import { logoUse } from './logo.ts';
import { mediaQuota } from './quota.ts';
import { removeFiles } from './removal.ts';
import {
  adminMedia,
  completeMediaUpload,
  createMedia,
  createMediaUpload,
  readMediaFile,
  sendMediaFile,
  setStoreLogo,
} from './routes.ts';
import { mediaSettings } from './settings.ts';
import { mediaUses } from './uses.ts';

export { examplePicture } from './example.ts';
export {
  keepPrivateFile,
  type PrivateFile,
  privateContent,
  privateUpload,
  releasePrivateFiles,
  storePrivateFile,
} from './private-files.ts';
export { FileName, Media } from './schemas.ts';
export { findMedia } from './service.ts';
export { holdMediaAssets, type MediaUse, mediaUses } from './uses.ts';

export default definePackage({
  routes: [
    ...adminMedia,
    createMedia,
    createMediaUpload,
    completeMediaUpload,
    sendMediaFile,
    readMediaFile,
    setStoreLogo,
  ],
  events: [mediaCreated, mediaDeleted],
  jobs: [deleteFiles],
  settings: mediaSettings,
  extends: [
    tenantQuotas.with(mediaQuota),
    mediaUses.with(logoUse),
    tenantRemovals.with(removeFiles),
    tenantFiles.with(exportedFiles),
  ],
});
