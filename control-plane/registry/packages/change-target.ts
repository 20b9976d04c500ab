// Which change of a package a request of the publisher asks for, by its method and path: those of npm's clients.

import { scope } from '../vendor.ts';

export type ChangeTarget =
  /** `npm publish` and `npm deprecate`, and `npm unpublish <version>`, which names the revision that it has read. */
  | { change: 'packument'; packageName: string; revision: string | undefined }
  /** `npm unpublish` of all versions. */
  | { change: 'removal'; packageName: string; revision: string }
  /** The second request of `npm unpublish <version>`: its tarball. */
  | { change: 'tarball-removal'; packageName: string; file: string }
  /** `npm dist-tag add` and `rm`. */
  | { change: 'tag'; packageName: string; tag: string; isRemoval: boolean }
  /** Several dist-tags at once. */
  | { change: 'tags'; packageName: string };

const scopedName = `(?:@|%40)${scope.slice(1)}(?:/|%2[fF])([^/]+)`;
const word = '([A-Za-z0-9_-][A-Za-z0-9._-]*)';

const packument = new RegExp(`^/${scopedName}(?:/-rev/${word})?$`);
const tarball = new RegExp(`^/${scopedName}/-/${word}/-rev/${word}$`);
const tags = new RegExp(`^/-/package/${scopedName}/dist-tags(?:/${word})?$`);

/** Parses a method and a raw request target that `parseTarget` has taken for a change; undefined for any other. */
export function parseChange(method: string, url: string): ChangeTarget | undefined {
  const path = url.replace(/\?.*$/s, '');
  const nameOf = (match: RegExpExecArray) => `${scope}/${match[1]}`;

  const ofPackument = packument.exec(path);
  if (ofPackument) {
    const [packageName, revision] = [nameOf(ofPackument), ofPackument[2]];
    if (method === 'PUT') return { change: 'packument', packageName, revision };
    if (method === 'DELETE' && revision !== undefined) return { change: 'removal', packageName, revision };
  }
  const ofTarball = tarball.exec(path);
  if (ofTarball && method === 'DELETE') {
    return { change: 'tarball-removal', packageName: nameOf(ofTarball), file: ofTarball[2] as string };
  }
  const ofTags = tags.exec(path);
  if (!ofTags) return undefined;
  const [packageName, tag] = [nameOf(ofTags), ofTags[2]];
  if (tag === undefined) return method === 'POST' ? { change: 'tags', packageName } : undefined;
  const isRemoval = method === 'DELETE';
  return isRemoval || method === 'PUT' || method === 'POST'
    ? { change: 'tag', packageName, tag, isRemoval }
    : undefined;
}
