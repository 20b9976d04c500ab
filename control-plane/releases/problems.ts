/**
 * Problems of releases.
 */
import { defineProblem } from '@carton/runtime/service';

export const releaseInconsistent = defineProblem({
  code: 'release_inconsistent',
  status: 400,
  title: 'The packages of the release are not compatible',
});
export const releaseExists = defineProblem({
  code: 'release_exists',
  status: 409,
  title: 'A release of this version exists with other packages',
});
export const noRelease = defineProblem({
  code: 'no_release',
  status: 503,
  title: 'No release has been published yet',
});
