// What a request asks for, read from its raw path by a closed grammar: whatever does not match it is no package
// request, so dots, double escapes, capitals and other scopes never reach Verdaccio in a customer's name.

import { scope } from './vendor.ts';

export type RequestTarget =
  | { kind: 'packument'; packageName: string; version?: string }
  | { kind: 'tarball'; packageName: string; version: string }
  /** Something only the publisher may do with a package, or with the list of them. */
  | { kind: 'publisher' }
  | { kind: 'ping' }
  | { kind: 'other' };

const name = '[a-z0-9][a-z0-9-]{0,99}';
const version = '\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?';
// npm escapes the slash of a scoped name in some requests and not in others, and some clients escape the @ too.
const scopedName = `(?:@|%40)${scope.slice(1)}(?:/|%2[fF])(${name})`;

const packument = new RegExp(`^/${scopedName}$`);
const manifest = new RegExp(`^/${scopedName}/(?:(${version})|[a-z][a-z0-9.-]*)$`);
const tarball = new RegExp(`^/${scopedName}/-/(${name})-(${version})\\.tgz$`);
const packageChange = new RegExp(`^/${scopedName}(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$`);
const distTags = new RegExp(`^/-/package/${scopedName}/dist-tags(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)?$`);
const publisherLists = new Set(['/-/v1/search', '/-/all', '/-/whoami']);

/**
 * Reads method and raw request target (`request.url`, query allowed). Package names are whole (`@scope/name`),
 * versions exact: a dist-tag in the path leaves `version` out. A tarball counts as one only under the name it was published with (`name-version.tgz`).
 */
export function readTarget(method: string, url: string): RequestTarget {
  const queryStart = url.indexOf('?');
  const path = queryStart === -1 ? url : url.slice(0, queryStart);

  if (method === 'GET' || method === 'HEAD') {
    if (path === '/-/ping') return { kind: 'ping' };
    const packumentMatch = packument.exec(path);
    if (packumentMatch) return { kind: 'packument', packageName: `${scope}/${packumentMatch[1]}` };
    const manifestMatch = manifest.exec(path);
    if (manifestMatch) {
      return { kind: 'packument', packageName: `${scope}/${manifestMatch[1]}`, version: manifestMatch[2] };
    }
    const tarballMatch = tarball.exec(path);
    if (tarballMatch?.[3] !== undefined && tarballMatch[1] === tarballMatch[2]) {
      return { kind: 'tarball', packageName: `${scope}/${tarballMatch[1]}`, version: tarballMatch[3] };
    }
    if (publisherLists.has(path) || distTags.test(path)) return { kind: 'publisher' };
    return { kind: 'other' };
  }
  if (packageChange.test(path) || distTags.test(path)) return { kind: 'publisher' };
  return { kind: 'other' };
}

/**
 * What a log may hold of a request target: the path alone, since a client may put a credential in the query; and of the
 * path not the token that npm's logout sends in it.
 */
export function loggedPath(url: string): string {
  const path = url.replace(/[?#].*$/s, '');
  return path.replace(/(\/-\/user\/token\/).+$/s, '$1…');
}
