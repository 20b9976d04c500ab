/**
 * Problems of downloads.
 */
import { defineProblem } from '@carton/runtime';

export const tooManyDownloads = defineProblem({
  code: 'too_many_downloads',
  status: 409,
  title: 'The variant has as many downloads as it may',
});
export const downloadEnded = defineProblem({
  code: 'download_ended',
  status: 410,
  title: 'The download has ended',
});
export const downloadLimitReached = defineProblem({
  code: 'download_limit_reached',
  status: 410,
  title: 'The file was downloaded as often as it may be',
});
export const downloadGrantClosed = defineProblem({
  code: 'download_grant_closed',
  status: 409,
  title: 'The grant of a download cannot be opened again',
});
export const noDownloads = defineProblem({
  code: 'no_downloads',
  status: 409,
  title: 'The order has no downloads that can be used',
});
