/**
 * Problems of media.
 */
import { defineProblem } from '@carton/runtime';

export const pictureUnreadable = defineProblem({
  code: 'picture_unreadable',
  status: 400,
  title: 'The picture cannot be decoded',
});
export const pictureTooManyPixels = defineProblem({
  code: 'picture_too_many_pixels',
  status: 413,
  title: 'The picture has too many pixels',
});
export const mediaInUse = defineProblem({
  code: 'media_in_use',
  status: 409,
  title: 'The media asset is in use',
});
export const mediaUploadIncomplete = defineProblem({
  code: 'media_upload_incomplete',
  status: 409,
  title: 'The upload is not complete',
});
