/**
 * Problems of the website.
 */
import { defineProblem, handleTakenBy } from '@carton/runtime';

export const pageHandleTaken = handleTakenBy('page');
export const pageLimit = defineProblem({
  code: 'page_limit',
  status: 409,
  title: 'The store has the maximum number of pages',
});
export const menuHandleTaken = handleTakenBy('menu');
export const menuLimit = defineProblem({
  code: 'menu_limit',
  status: 409,
  title: 'The store has the maximum number of menus',
});
export const redirectExists = defineProblem({
  code: 'redirect_exists',
  status: 409,
  title: 'The path has a redirect already',
});
export const redirectLoop = defineProblem({
  code: 'redirect_loop',
  status: 409,
  title: 'The redirect would lead back to its own path',
});
export const redirectLimit = defineProblem({
  code: 'redirect_limit',
  status: 409,
  title: 'The store has the maximum number of redirects',
});
export const formExpired = defineProblem({
  code: 'contact_form_expired',
  status: 409,
  title: 'The contact form has expired',
});
