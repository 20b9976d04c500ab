// Sends one built package to a registry, with the library that npm's own `publish` uses: npm's command cannot send
// signatures.

import { readFile } from 'node:fs/promises';
import npm from 'libnpmpublish';
import { list } from 'tar';
import type { BuiltPackage } from './built-package.ts';
import type { Sign } from './signing.ts';

export type Publisher = {
  /** @throws Error with the message of the registry */
  publish(built: BuiltPackage, tag: string, sign?: Sign): Promise<void>;
  /** @throws Error with the message of the registry */
  unpublish(built: BuiltPackage): Promise<void>;
};

/** Opens a publisher for one registry with one bearer secret. */
export function openPublisher(registryUrl: string, secret: string): Publisher {
  const registry = `${registryUrl.replace(/\/+$/, '')}/`;
  const options = { registry, [`${registry.replace(/^https?:/, '')}:_authToken`]: secret };

  return {
    async publish(built, tag, sign) {
      const { name, version, tarball, integrity } = built;
      const { manifest, fileCount, unpackedSize } = await readContent(tarball);
      const signatures = sign?.(`${name}@${version}:${integrity}`);
      const dist = { fileCount, unpackedSize, ...(signatures && { signatures }) };
      const data = await readFile(tarball);
      await npm
        .publish({ ...manifest, dist } as unknown as Parameters<typeof npm.publish>[0], data, {
          ...options,
          defaultTag: tag,
        })
        .catch(rethrow(name));
    },
    async unpublish({ name, version }) {
      await npm.unpublish(`${name}@${version}`, options).catch(rethrow(name));
    },
  };
}

/**
 * The package.json of a tarball, the size of its files, which are the members of `dist` that npm's registry adds, and the file
 * names of its migrations.
 */
export async function readContent(tarball: string) {
  const size = { fileCount: 0, unpackedSize: 0 };
  const migrations: string[] = [];
  const chunks: Buffer[] = [];
  await list({
    file: tarball,
    onReadEntry(entry) {
      size.fileCount += 1;
      size.unpackedSize += entry.size;
      const [, migration] = /^package\/migrations\/([^/]+\.js)$/.exec(entry.path) ?? [];
      if (migration) migrations.push(migration);
      if (entry.path === 'package/package.json') entry.on('data', (chunk: Buffer) => chunks.push(chunk));
    },
  });
  const manifest = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
  return { manifest, migrations: migrations.sort(), ...size };
}

function rethrow(name: string) {
  return (error: Error & { body?: { error?: string } }): never => {
    throw new Error(`The registry rejects ${name}: ${error.body?.error ?? error.message}`);
  };
}
