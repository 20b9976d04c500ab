// The registry is killed while versions are published: each is there completely or not at all, those that were
// acknowledged are there, and the publisher's next try publishes the others.

import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { publishVersion, versionsOf } from './publications.ts';
import { listening, runRegistry } from './registry-process.ts';
import { makeFolder } from './test-registry.ts';

const cart = '@carton/cart';

t.test('kill -9 as soon as the tarball is stored, and at other moments of a publication', async (t) => {
  const storage = await makeFolder(t);
  const published: string[] = [];
  const start = async () => {
    const process = await runRegistry(t, { REGISTRY_PORT: '0', REGISTRY_STORAGE: storage });
    const localUrl = await listening(process);
    return { process, registry: { url: localUrl, localUrl, stop: async () => {} } };
  };
  const isThere = (name: string) =>
    access(join(storage, 'packages', cart, name)).then(
      () => true,
      () => false,
    );

  let { process, registry } = await start();
  for (let kill = 0; kill < 4; kill++) {
    const version = `1.0.${kill}`;
    const content = `content of ${version} `.repeat(100_000);
    const publication = publishVersion(registry, cart, version, content).catch(() => ({ status: 0 }));
    const isOver = publication.then(() => true);
    if (kill % 2 === 0) while (!(await Promise.race([isThere(`cart-${version}.tgz`), isOver])));
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
});
