/**
 * Paths for logs and traces: a path parameter named `token` is a secret, so its name takes the place of its value.
 */

/** Returns a function that hides the tokens in paths. @param declared the paths of all routes: `/downloads/:token` */
export function tokenHider(declared: readonly string[]): (path: string) => string {
  const secret = declared
    .filter((path) => path.split('/').includes(':token'))
    .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`, 'i') }));
  return (requested) => secret.find(({ pattern }) => pattern.test(requested))?.path ?? requested;
}
