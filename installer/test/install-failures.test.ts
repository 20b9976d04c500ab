/**
 * Each failure of an install has its own exit status and one line with advice, and leaves the folder clean.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { findRunningBox } from '../box/running.ts';
import { install, silent } from '../index.ts';
import { scope } from '../vendor.ts';
import { key, list, makeBox, type TestBox, until } from './support/box.ts';
import { makePackage, makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const core = `${scope}/core`;
const licence = { tier: 'basic', packages: [`${scope}/runtime`, core] };
const vendor = await startVendor([makeRuntime(), makePackage({ name: core })], {
  [key]: licence,
  expired: {
    status: 403,
    code: 'license_expired',
    title: 'The licence has expired',
    detail: 'It expired at 2026-01-31T00:00:00Z. Ask the vendor to renew it.',
  },
  suspended: {
    status: 403,
    code: 'license_suspended',
    title: 'The licence is suspended',
    detail: 'Ask the vendor to reinstate it.',
  },
  revoked: {
    status: 403,
    code: 'license_revoked',
    title: 'The licence has been revoked',
    detail: 'Use the key that replaces it, or contact the vendor.',
  },
  proxy401: { status: 401 },
  proxy403: { status: 403, title: 'Forbidden' },
});
t.teardown(() => vendor.close());
t.afterEach(() => {
  for (const faults of [vendor.refusals, vendor.replacements, vendor.breaks, vendor.stalls, vendor.released]) {
    faults.clear();
  }
  vendor.release = undefined;
  vendor.licences.set(key, licence);
  vendor.packages.set(core, makePackage({ name: core }));
});

/** Before these, the control plane has not counted the installation. */
const uncounted = ['wrong_key', 'key_not_active', 'usage', 'port_taken'];

/**
 * Runs an install that must fail; checks the error, and that the folder does not exist or has only the installation's id,
 * which another attempt needs. Returns the message.
 */
async function assertFailsCleanly(
  t: Test,
  box: TestBox,
  code: string,
  exitCode: number,
  environment = {},
  isCounted = !uncounted.includes(code),
) {
  const { end, exitCode: actual } = await box.install([], environment);
  t.equal(actual, exitCode);
  t.match(end, { event: 'error', exitCode, error: { code, advice: /\w/ } });
  t.same(await list(dirname(box.dir)), isCounted ? ['box'] : [], 'nothing is beside the folder');
  t.same(await list(box.dir), isCounted ? ['.installation-id'] : []);
  return end.error?.message ?? '';
}

t.test('a wrong key', async (t) => {
  const box = await makeBox(t, vendor);
  const message = await assertFailsCleanly(t, box, 'wrong_key', 3, { CARTON_LICENSE_KEY: 'ctn_basic_typo' });
  t.equal(message, 'the licence key is unknown');
});

t.test('a key that is expired, suspended or revoked: each with its cause and its advice', async (t) => {
  for (const [licence, line] of [
    ['expired', 'the licence has expired. It expired at 2026-01-31T00:00:00Z. Ask the vendor to renew it.'],
    ['suspended', 'the licence is suspended. Ask the vendor to reinstate it.'],
    ['revoked', 'the licence has been revoked. Use the key that replaces it, or contact the vendor.'],
  ] as const) {
    const box = await makeBox(t, vendor);
    await assertFailsCleanly(t, box, 'key_not_active', 4, { CARTON_LICENSE_KEY: licence });
    const { stderr } = await box.run(
      ['install', '--port', String(box.port), '--control-plane', vendor.controlPlaneUrl],
      {
        CARTON_LICENSE_KEY: licence,
      },
    );
    t.equal(stderr, `carton: ${line}\n`);
  }
});

t.test('a 401 or 403 of something else, such as a proxy, is no wrong key', async (t) => {
  for (const status of [401, 403]) {
    const box = await makeBox(t, vendor);
    const key = { CARTON_LICENSE_KEY: `proxy${status}` };
    const message = await assertFailsCleanly(t, box, 'control_plane_unavailable', 5, key, false);
    t.match(message, `something other than the control plane returned ${status}`);
  }
});

t.test('without --json the error is one line on standard error', async (t) => {
  const box = await makeBox(t, vendor);
  const { stdout, stderr } = await box.run(
    ['install', '--port', String(box.port), '--control-plane', vendor.controlPlaneUrl],
    {
      CARTON_LICENSE_KEY: 'expired',
    },
  );
  t.equal(stdout, '');
  t.equal(stderr, 'carton: the licence has expired. It expired at 2026-01-31T00:00:00Z. Ask the vendor to renew it.\n');
});

t.test('the reader of the output closes it early, and the install goes on', async (t) => {
  const box = await makeBox(t, vendor);
  const command = ['install', '--port', String(box.port), '--control-plane', vendor.controlPlaneUrl];
  t.match(await box.runForOneLine(command), {
    exitCode: 0,
    stdout: /^licence activated.*\n$/,
  });
  t.match(await box.ask(), { version: '0.1.0' });
});

t.test('a line of box.env that sets nothing', async (t) => {
  const box = await makeBox(t, vendor);
  await mkdir(box.dir, { recursive: true });
  const lines = ['# comment', '', 'export A=1', "B='two", "lines'", 'C = "x"', 'DRAIN_SECONDS 5', 'D='];
  await writeFile(box.folder.secrets, lines.join('\n'));
  const wrong = {
    exitCode: 2,
    end: { error: { code: 'usage', message: `line 7 of ${box.folder.secrets} is not NAME=value` } },
  };
  t.match(await box.install(), wrong);
  await writeFile(box.folder.secrets, lines.toSpliced(6, 1).join('\n'));
  t.match(await box.install(), { exitCode: 0 });
  await writeFile(box.folder.secrets, lines.join('\n'));
  t.match(await box.run(['stop', '--json']), { exitCode: 0 }, 'a box can be stopped in any case');
  t.match(await box.run(['start', '--json']), wrong);
});

t.test('no key, and no terminal for a prompt', async (t) => {
  const box = await makeBox(t, vendor);
  const message = await assertFailsCleanly(t, box, 'usage', 2, { CARTON_LICENSE_KEY: '' });
  t.match(message, 'no licence key specified');
});

t.test('a control plane that is unreachable', async (t) => {
  const box = await makeBox(t, undefined);
  const message = await assertFailsCleanly(t, box, 'control_plane_unavailable', 5, {}, false);
  t.match(message, /ECONNREFUSED/);
});

t.test('a registry that refuses a package', async (t) => {
  vendor.refusals.set(core, { status: 403, error: 'core is in the growth tier; this licence is basic' });
  const message = await assertFailsCleanly(t, await makeBox(t, vendor), 'registry_refused', 6);
  t.match(message, 'core is in the growth tier; this licence is basic');
});

t.test('a registry that lacks a package of the release', async (t) => {
  vendor.refusals.set(core, { status: 404, error: 'no such package' });
  const message = await assertFailsCleanly(t, await makeBox(t, vendor), 'registry_refused', 6);
  t.match(message, `the registry has no ${core} 0.1.0`);
});

t.test('a release that lacks a package of the licence', async (t) => {
  vendor.packages.delete(core);
  const message = await assertFailsCleanly(t, await makeBox(t, vendor), 'registry_refused', 6);
  t.match(message, `release 1.0.0 lacks ${core}`);
});

t.test('a registry whose package differs from that of the release', async (t) => {
  vendor.released.set(core, makePackage({ name: core, description: 'the one that was released' }).integrity);
  const message = await assertFailsCleanly(t, await makeBox(t, vendor), 'integrity_failed', 7);
  t.match(message, `${core} 0.1.0 of the registry differs from that of release 1.0.0`);
});

t.test('a control plane without a release, and invalid releases', async (t) => {
  const good = { name: core, version: '0.1.0', integrity: `sha512-${'A'.repeat(86)}==` };
  const cases: [status: number, body: object, message: string][] = [
    [404, { code: 'not_found', detail: 'No release has been published.' }, 'No release has been published.'],
    [200, {}, 'invalid release in the response'],
    [200, { version: '1.0.0', packages: [{ ...good, name: `${core}/../../x` }] }, 'invalid release in the response'],
    [200, { version: '1.0.0', packages: [{ ...good, version: 'latest' }] }, 'invalid release in the response'],
    [200, { version: '1.0.0', packages: [{ ...good, integrity: 'sha1-AAAA' }] }, 'invalid release in the response'],
    [200, { version: '1.0.0', packages: [null] }, 'invalid release in the response'],
  ];
  for (const [status, body, expected] of cases) {
    vendor.release = { status, body };
    const message = await assertFailsCleanly(t, await makeBox(t, vendor), 'control_plane_unavailable', 5);
    t.match(message, expected);
  }
});

t.test('incompatible packages', async (t) => {
  vendor.packages.set(core, makePackage({ name: core, dependencies: { [`${scope}/runtime`]: '^2.0.0' } }));
  const message = await assertFailsCleanly(t, await makeBox(t, vendor), 'registry_refused', 6);
  t.match(message, 'requires @carton/runtime ^2.0.0, but this licence includes 0.1.0');
});

t.test('a port in use', async (t) => {
  const box = await makeBox(t, vendor);
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(box.port, '127.0.0.1', resolve));
  t.teardown(() => other.close());
  const message = await assertFailsCleanly(t, box, 'port_taken', 9);
  t.match(message, String(box.port));
});

t.test('a folder with other files', async (t) => {
  const box = await makeBox(t, vendor);
  await mkdir(box.dir);
  await writeFile(join(box.dir, 'thesis.tex'), '');
  t.match(await box.install(), { exitCode: 15, end: { error: { message: /thesis\.tex/ } } });
  t.same(await list(box.dir), ['thesis.tex']);
});

t.test('not enough disk space', async (t) => {
  const box = await makeBox(t, vendor);
  const { dir, port } = box;
  const options = { dir, port, licenseKey: key, controlPlaneUrl: vendor.controlPlaneUrl, spareBytes: 1e18 };
  await t.rejects(install(options, silent), {
    code: 'disk_full',
    exitCode: 8,
    message: /not enough disk space in .* needed/,
  });
  t.same(await list(dir), ['.installation-id']);
});

/** A disk of one megabyte, if this user may mount one. */
const small = await mkdtemp(join(tmpdir(), 'small-disk-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', small]).status === 0;
t.teardown(async () => {
  if (mounted) spawnSync('umount', [small]);
  await rm(small, { recursive: true, force: true });
});

t.test('a disk that fills up during the pull', { skip: !mounted && 'no small disk can be mounted here' }, async (t) => {
  const large = makePackage({ name: core }, [{ path: 'large.bin', content: Buffer.alloc(4_000_000) }]);
  vendor.packages.set(core, { ...large, unpackedSize: 0 }); // as when a registry declares no sizes
  const { dir, port } = await makeBox(t, vendor, small);
  const options = { dir, port, licenseKey: key, controlPlaneUrl: vendor.controlPlaneUrl, spareBytes: 0 };
  await t.rejects(install(options, silent), { code: 'disk_full', exitCode: 8 });
  t.same(await list(dir), ['.installation-id'], 'the space has been freed');
});

t.test('a tarball that fails its integrity check', async (t) => {
  const box = await makeBox(t, vendor);
  vendor.replacements.set(core, makePackage({ name: core, description: 'another one' }).tarball);
  const { end, exitCode } = await box.install();
  t.equal(exitCode, 7);
  t.match(end.error, { code: 'integrity_failed', message: /core 0\.1\.0 failed its integrity check/ });
  t.same(await list(box.dir), ['.installation-id', 'releases'], 'no box is installed');
  t.match((await list(box.folder.releases)).join(), /^[^,]+\.partial$/);

  vendor.replacements.clear();
  t.match(await box.install(), { exitCode: 0 }, 'the next install resumes');
});

t.test('a damaged tarball', async (t) => {
  const box = await makeBox(t, vendor);
  const good = vendor.packages.get(core)?.tarball as Buffer;
  vendor.replacements.set(core, Buffer.concat([good.subarray(0, 60), Buffer.alloc(good.length - 60)]));
  t.match(await box.install(), { exitCode: 7, end: { error: { code: 'integrity_failed' } } });
});

t.test('another package under the right name', async (t) => {
  const box = await makeBox(t, vendor);
  const { tarball, integrity } = makePackage({ name: `${scope}/other` });
  vendor.packages.set(core, { ...makePackage({ name: core }), tarball, integrity });
  t.match(await box.install(), {
    exitCode: 7,
    end: { error: { message: /served @carton\/other 0\.1\.0 as @carton\/core/ } },
  });
});

t.test('a first box is removed when the last step fails', async (t) => {
  const box = await makeBox(t, vendor);
  vendor.stalls.add(core);
  const { ended } = box.beginInstall();
  await until(async () => (await list(box.folder.releases)).length > 0);
  await mkdir(box.folder.settings); // in place of the last file to be written
  vendor.stalls.clear();
  vendor.breakStalled();
  t.match(await ended, { exitCode: 1, end: { error: { code: 'unexpected', message: /box\.json/ } } });
  t.equal(await findRunningBox(box.folder), undefined);
  t.same(
    (await list(box.dir)).filter((name) => ['data', 'run'].includes(name)),
    [],
  );
});

t.test('two concurrent installs: the second is rejected', async (t) => {
  const box = await makeBox(t, vendor);
  vendor.stalls.add(core);
  const first = box.beginInstall();
  await new Promise((resolve) => first.child.stdout?.once('data', resolve));
  const second = await box.install();
  t.equal(second.exitCode, 11);
  t.match(second.end.error, {
    code: 'busy',
    message: new RegExp(`install \\(process ${first.child.pid}\\) is using`),
  });
  t.match(await box.run(['stop', '--json']), { exitCode: 11 });
  first.child.kill('SIGTERM');
  t.match(await first.ended, { exitCode: 130 });
});
