/**
 * @carton/media: pictures, videos and documents of a store.
 */
import { tenantFiles, tenantQuotas, tenantRemovals } from '@carton/core';
import { definePackage } from '@carton/runtime';
import { logoUse } from './assets/logo.ts';
import { adminMedia, createMedia, readMediaFile, setStoreLogo } from './assets/routes.ts';
import { mediaUses } from './assets/uses.ts';
import { mediaCreated, mediaDeleted } from './events.ts';
import { exportedFiles } from './exports.ts';
import { mediaQuota } from './files/quota.ts';
import { deleteFiles } from './jobs.ts';
import { removeFiles } from './removal.ts';
import { mediaSettings } from './settings.ts';
import { completeMediaUpload, createMediaUpload, sendMediaFile } from './uploads/routes.ts';

export { examplePicture } from './assets/example.ts';
export { FileName, Media } from './assets/schemas.ts';
export { findMedia } from './assets/service.ts';
export { holdMediaAssets } from './assets/store.ts';
export { type MediaUse, mediaUses } from './assets/uses.ts';
export {
  keepPrivateFile,
  type PrivateFile,
  privateContent,
  privateUpload,
  releasePrivateFiles,
  storePrivateFile,
} from './files/private.ts';

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
