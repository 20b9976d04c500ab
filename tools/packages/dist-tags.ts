// Dist-tags of the vendor's channels: after a release is published on a channel, `npm install @carton/cart@next` installs
// the version of the release. The channel `stable` is npm's `latest`.

import type { BuiltPackage } from './built-package.ts';
import { mapConcurrently } from './concurrently.ts';

/** The dist-tag of a channel. */
export const distTagOf = (channel: string) => (channel === 'stable' ? 'latest' : channel);

export type DistTagOptions = {
  registryUrl: string;
  publishSecret: string;
  channel: string;
  /** The packages of the release. */
  packages: readonly Pick<BuiltPackage, 'name' | 'version'>[];
};

/**
 * Moves the tag of a channel to the versions of a release, several packages concurrently. To repeat it is harmless.
 * @returns how many tags were moved
 * @throws Error with the message of the registry
 */
export async function tagChannel({ registryUrl, publishSecret, channel, packages }: DistTagOptions): Promise<number> {
  const tag = distTagOf(channel);
  const headers = { authorization: `Bearer ${publishSecret}`, 'content-type': 'application/json' };
  const moved = await mapConcurrently([...packages], async ({ name, version }) => {
    const url = `${registryUrl.replace(/\/+$/, '')}/-/package/${name.replace('/', '%2f')}/dist-tags`;
    const tags = (await request(name, url, { headers })) as Record<string, string>;
    if (tags[tag] === version) return 0;
    await request(name, `${url}/${tag}`, { method: 'PUT', headers, body: JSON.stringify(version) });
    return 1;
  });
  return moved.reduce((sum: number, count) => sum + count, 0);
}

async function request(name: string, url: string, options: RequestInit): Promise<unknown> {
  const response = await fetch(url, options).catch((error: Error) => {
    throw new Error(`The dist-tags of ${name} cannot be changed: ${(error.cause as Error)?.message ?? error.message}`);
  });
  const body = (await response.json().catch(() => ({}))) as { error?: string };
  if (!response.ok) throw new Error(`The registry rejects the dist-tags of ${name}: ${body.error ?? response.status}`);
  return body;
}
