/**
 * What an install tells the control plane about itself, and the channel that it takes the release from.
 */
import { readFile, writeFile } from 'node:fs/promises';
import t from 'tap';
import { channelOf } from '../control-plane.ts';
import { scope, version } from '../vendor.ts';
import { key, makeBox } from './support/box.ts';
import { makePackage, makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const core = `${scope}/core`;
const vendor = await startVendor([makeRuntime(), makePackage({ name: core })], {
  [key]: { tier: 'basic', packages: [`${scope}/runtime`, core] },
});
t.teardown(() => vendor.close());
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** What the activations since the last call have said of their installation. */
const said = () =>
  vendor.activations
    .splice(0)
    .map(({ 'installation-id': id, 'installer-version': by, 'installation-platform': on }) => [id, by, on]);

t.test('an installation has an id of its own, which updates and resumed installs keep', async (t) => {
  const box = await makeBox(t, vendor);
  vendor.replacements.set(core, makePackage({ name: core, description: 'another one' }).tarball);
  t.equal((await box.install(['--no-start'])).exitCode, 7);
  vendor.replacements.clear();
  t.equal((await box.install(['--no-start'])).exitCode, 0, 'resumed');
  t.equal((await box.install(['--no-start'])).exitCode, 0, 'up to date');
  const id = (await readFile(box.folder.installationId, 'utf8')).trim();
  t.match(id, uuid);
  const platform = `${process.platform}-${process.arch}`;
  t.strictSame(
    said(),
    [1, 2, 3].map(() => [id, version, platform]),
  );

  const other = await makeBox(t, vendor);
  t.equal((await other.install(['--no-start'])).exitCode, 0);
  const [[otherId] = []] = said();
  t.match(otherId, uuid);
  t.not(otherId, id);

  await writeFile(other.folder.installationId, 'not an id');
  t.equal((await other.install(['--no-start'])).exitCode, 0);
  const [[newId] = []] = said();
  t.match(newId, uuid);
  t.equal(
    await readFile(other.folder.installationId, 'utf8'),
    `${newId}\n`,
    'another one takes the place of a broken one',
  );
});

t.test('the release is that of the channel in the token', async (t) => {
  const box = await makeBox(t, vendor);
  vendor.channel = 'preview';
  vendor.requests.length = 0;
  t.equal((await box.install(['--no-start'])).exitCode, 0);
  t.strictSame(
    vendor.requests.filter((line) => line.includes('/releases/')),
    ['GET /releases/preview'],
  );
  vendor.requests.length = 0;
  vendor.activations.length = 0;
  await box.run(['doctor', '--json']);
  t.ok(vendor.requests.includes('GET /releases/preview'), 'doctor compares with the same channel');
  t.notOk(vendor.requests.includes('GET /releases/stable'));
  const id = (await readFile(box.folder.installationId, 'utf8')).trim();
  t.strictSame(
    said().map(([said]) => said),
    [id],
    'and takes no second place',
  );
});

t.test('without a channel in the token, the release is the stable one', async (t) => {
  const token = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
  t.equal(channelOf(token({ channel: 'next-2' })), 'next-2');
  for (const other of [token({}), token({ channel: 7 }), token({ channel: '../x' }), token(null), 'x', 'a.b.c', '']) {
    t.equal(channelOf(other), 'stable', other);
  }
});
