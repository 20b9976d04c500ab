// The registry is killed while versions are published: each is there completely or not at all, those that were
// acknowledged are there, and the publisher's next try publishes the others.

import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { openBucket } from '../storage/bucket.ts';
import { openFolder } from '../storage/folder.ts';
import type { Storage } from '../storage/storage.ts';
import { makeFolder } from '../testing/index.ts';
import { publishVersion, versionsOf } from './publications.ts';
import { listening, runRegistry } from './registry-process.ts';
import { kinds, s3Service } from './storages.ts';

const cart = '@carton/cart';

/** The settings of a registry with a storage of each kind, and the storage itself. */
async function openStorage(
  t: Test,
  kind: (typeof kinds)[number],
): Promise<{ environment: Record<string, string>; storage: Storage }> {
  const home = await makeFolder(t);
  if (kind === 'a folder')
    return { environment: { REGISTRY_STORAGE: home }, storage: openFolder(home, { log: () => {} }) };
  const { environment, settings } = await s3Service(t);
  return { environment: { ...environment, REGISTRY_HOME: home }, storage: openBucket(settings, { log: () => {} }) };
}

for (const kind of kinds) {
  t.test(`${kind}: kill -9 as soon as the tarball is stored, and at other moments of a publication`, (t) =>
    killWhilePublishing(t, kind),
  );
}

async function killWhilePublishing(t: Test, kind: (typeof kinds)[number]) {
  const { environment, storage } = await openStorage(t, kind);
  const published: string[] = [];
  const start = async () => {
    const process = await runRegistry(t, { REGISTRY_PORT: '0', ...environment });
    const localUrl = await listening(process);
    return { process, registry: { url: localUrl, localUrl, stop: async () => {} } };
  };
  const isThere = async (name: string) => {
    const file = await storage.open(`packages/${cart}/${name}`);
    await file?.close();
    return file !== undefined;
  };

  let { process, registry } = await start();
  for (let kill = 0; kill < 4; kill++) {
    const version = `1.0.${kill}`;
    const content = `content of ${version} `.repeat(100_000);
    const publication = publishVersion(registry, cart, version, content).catch(() => ({ status: 0 }));
    const isOver = publication.then(() => true);
    if (kill % 2 === 0) while (!(await isThere(`cart-${version}.tgz`)) && !(await Promise.race([isOver, sleep(1)])));
    else await sleep(kill * 8);
    process.child.kill('SIGKILL');
    const { status } = await publication;
    await process.ended;

    ({ process, registry } = await start());
    const { versions, wrong } = await versionsOf(registry, cart);
    const isStored = versions.includes(version);
    t.strictSame({ versions, wrong }, { versions: isStored ? [...published, version] : published, wrong: [] });
    t.ok(isStored || status !== 201, `${version} was acknowledged with ${status}`);
    const again = await publishVersion(registry, cart, version, content);
    t.equal(again.status, isStored ? 409 : 201, `${version} is published again`);
    published.push(version);
    t.strictSame(await versionsOf(registry, cart), { versions: published, wrong: [] });
  }
  process.child.kill('SIGKILL');
  await process.ended;
}
