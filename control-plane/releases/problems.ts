/**
 * What can be wrong with a release.
 */
import { defineProblem } from '@carton/runtime/service';

export const releaseInconsistent = defineProblem({
  code: 'release_inconsistent',
  status: 400,
  title: 'The packages of this release do not fit together',
});
export const releaseExists = defineProblem({
  code: 'release_exists',
  status: 409,
  title: 'This version has been released with other packages',
});
export const noRelease = defineProblem({
  code: 'no_release',
  status: 503,
  title: 'No release has been published yet',
});
