/**
 * A patch release: one package changes, `npm run release` and `npm run publish:packages` publish only that package, an
 * existing box is upgraded, and a new one installed. All parts are real: control plane, gated registry, npm, installer,
 * boxes.
 */
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { startRegistry } from '@carton/registry';
import {
  type Caller,
  callerOf,
  createTestDatabase,
  exactly,
  freePort,
  missingPrograms,
  temporaryFolder,
} from '@carton/runtime/testing';
import t from 'tap';
import { startControlPlane } from '../../../control-plane/index.ts';
import { install, silent, stop } from '../../../installer/index.ts';
import { makeCheckout } from './support/checkout.ts';

const skip = missingPrograms('git');

if (skip) t.plan(0, skip);
else {
  const secrets = {
    adminSecret: 'admin-secret-of-the-release-test',
    registrySecret: 'registry-secret-of-the-release-test',
    publishSecret: 'publish-secret-of-the-release-test',
  };
  const checkout = await makeCheckout(t);
  const change = 'changes/regions-say-that-they-are-patched.md';
  for (const file of await readdir(join(checkout.folder, 'changes'))) {
    if (file !== 'README.md') await rm(join(checkout.folder, 'changes', file));
  }
  checkout.git('commit', '-qam', 'Changes of the sources are no changes of the copy', '--allow-empty');
  const keyFolder = await temporaryFolder('release-keys-');
  const keyFile = join(keyFolder, 'key.pem');
  const packageKeysFile = join(keyFolder, 'keys.json');
  await checkout.run('scripts/release/package-keys.ts', ['--private-key', keyFile, '--keys', packageKeysFile], {});
  const packageKeys = JSON.parse(await readFile(packageKeysFile, 'utf8')).keys;
  const vendor = await startVendor();
  const key = (await vendor.admin.post('/license/keys', { customerId: 'partner', tier: 'basic' })).body.key as string;
  const environment = {
    CARTON_HOME: join(checkout.folder, '.carton'),
    CONTROL_PLANE_URL: vendor.controlPlaneUrl,
    REGISTRY_URL: vendor.registryUrl,
    PUBLISH_SECRET: secrets.publishSecret,
    PACKAGE_SIGNING_KEY_FILE: keyFile,
  };
  const publish = (...parameters: string[]) =>
    checkout.run('scripts/release/publish-packages.ts', ['--this-platform', ...parameters], environment);
  const release = (...parameters: string[]) => checkout.run('scripts/release/release.ts', parameters, environment);
  const published = ({ stdout }: { stdout: string }) =>
    stdout.split('\n').filter((line) => line.startsWith('@carton/') && line.endsWith(' published'));

  async function startVendor() {
    const { url: databaseUrl, drop } = await createTestDatabase('empty');
    const registryPort = await freePort();
    const registryUrl = `http://127.0.0.1:${registryPort}`;
    const options = { ...secrets, databaseUrl, registryUrl, host: '127.0.0.1', port: 0 };
    const controlPlane = await startControlPlane({
      ...options,
      tokenLifetimeSeconds: 600,
      nameservers: ['ns.example'],
      provesDomains: true,
      allowHttpBackends: false,
      allowPrivateBackends: false,
      ownHosts: [],
    });
    const registry = await startRegistry({
      ...secrets,
      port: registryPort,
      host: '127.0.0.1',
      storage: await temporaryFolder('release-registry-'),
      controlPlaneUrl: controlPlane.url,
      packageKeysFile,
      log: () => {},
    });
    t.teardown(async () => {
      await registry.stop();
      await controlPlane.stop();
      await drop();
    });
    const admin: Caller = callerOf(controlPlane.url, { authorization: `Bearer ${secrets.adminSecret}` });
    return { controlPlaneUrl: controlPlane.url, registryUrl, admin };
  }

  /** Installs or upgrades a box, and reads its packages and a summary of its document. */
  async function installBox(dir: string, port: number) {
    const options = {
      dir,
      port,
      host: '127.0.0.1',
      licenseKey: key,
      controlPlaneUrl: vendor.controlPlaneUrl,
      packageKeys,
    };
    const { packages, url } = await install(options, silent);
    const { paths } = await readDocument(url);
    return { packages, summary: paths['/regions']?.get.summary as string };
  }

  /** Reads the document on a connection of its own: open ones have one more response of the former release. */
  async function readDocument(url: string) {
    const request = get(`${url}/docs/json`, { agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return (await json(response)) as { paths: Record<string, { get: { summary: string } }> };
  }

  t.test('the first release', async (t) => {
    t.match(await release('--dry-run'), {
      status: 1,
      stdout: /this is the first release/,
      stderr: /CHANGELOG.md has release \S+ already/,
    });
    const first = await publish();
    t.match(first, { status: 0, stdout: /release \S+ published on stable/ });
    t.ok(published(first).length > 10);
    t.notMatch(first.stdout, 'declarations: ', 'every package has its types');
    t.match(await publish(), { status: 0, stdout: /\n0 published, \d+ unchanged/ }, 'a repetition changes nothing');
    t.match(await release(), { status: 0, stdout: /nothing changed since / });
    t.equal(checkout.git('status', '--porcelain'), '');
  });

  const folder = await temporaryFolder('release-boxes-');
  const [oldDir, newDir] = [join(folder, 'old'), join(folder, 'new')];
  const [oldPort, newPort] = [await freePort(), await freePort()];
  t.teardown(async () => {
    for (const dir of [oldDir, newDir]) await stop({ dir }, silent).catch(() => undefined);
  });

  t.test('a patch of one package is published, and boxes install it', async (t) => {
    const before = await installBox(oldDir, oldPort);
    const { version } = JSON.parse(await checkout.read('package.json'));
    const patched = version.replace(/\d+$/, (patch: string) => String(Number(patch) + 1));

    await checkout.edit('vendor/region/routes.ts', "summary: 'List the regions", "summary: 'Patched: List the regions");
    await checkout.edit('CONTRIBUTING.md', '#', '# What');
    checkout.git('commit', '-qam', 'Lists of regions say that they are patched');
    t.match(await publish(), { status: 1, stderr: /Already published with other content: @carton\/region/ });

    const text = 'The list of regions says that it is patched.';
    await writeFile(
      join(checkout.folder, change),
      `---\nconcerns: api\nfor: integrator\nkind: changed\nupgrade: nothing\n---\n${text}\n`,
    );
    t.match(await release(), { status: 1, stderr: `commit first what is not committed:\n?? ${change}` });
    t.equal(checkout.git('diff'), '', 'nothing was written');
    checkout.git('add', '-A');
    checkout.git('commit', '-qm', 'A change of regions');

    const prepared = await release();
    t.match(prepared, { status: 0, stdout: `@carton/region ${version} -> ${patched}\n` });
    t.strictSame(prepared.stdout.match(/^@carton\/.*->.*$/gm), [`@carton/region ${version} -> ${patched}`]);
    t.equal(checkout.git('status', '--porcelain'), '', 'everything is committed');
    t.strictSame(checkout.git('diff', '--name-only', 'HEAD~').trim().split('\n'), [
      'CHANGELOG.md',
      change,
      'control-plane/package.json',
      'control-plane/registry/package.json',
      'docs/upgrading.md',
      'installer/package.json',
      'package-lock.json',
      'package.json',
      'vendor/region/package.json',
    ]);
    const section =
      `### For integrators\n\n#### Changed\n\n- API: ${text}\n\n` + `### Versions of packages\n\nregion ${patched}\n`;
    const pattern = `## ${patched} \\(\\d{4}-\\d\\d-\\d\\d\\)\n\nYou come from ${version} [^#]*#[^#]*### What to do\n[\\s\\S]*\n${section}`;
    t.match(await checkout.read('CHANGELOG.md'), new RegExp(`\n${pattern}\n## `));
    await t.rejects(checkout.read(change), { code: 'ENOENT' });
    const tag = checkout.git('tag', '--list', '--format=%(refname:short) %(objecttype) %(*objectname) %(contents)');
    t.match(tag, new RegExp(`^v${patched} tag ${checkout.git('rev-parse', 'HEAD').trim()} ${pattern}`));

    const second = await publish();
    t.strictSame(published(second), [`@carton/region ${patched} published`], 'nothing else was published');
    t.match(second, { status: 0, stdout: `release ${patched} published on stable` });

    const upgraded = await installBox(oldDir, oldPort);
    t.strictSame(upgraded.packages, { ...before.packages, '@carton/region': patched });
    t.equal(upgraded.summary, `Patched: ${before.summary}`, 'the box runs it');
    t.strictSame(await installBox(newDir, newPort), upgraded, 'a new box has the same');
  });

  t.test('incompatible packages are not published', async (t) => {
    const { version } = JSON.parse(await checkout.read('vendor/region/package.json'));
    await checkout.edit('vendor/cart/package.json', '"@carton/region": "^', '"@carton/region": "^9');
    await checkout.edit('vendor/cart/package.json', '"version": "', '"version": "9');
    const refused = await publish();
    t.match(refused, { status: 1, stderr: /are not compatible, so nothing is published:\n/ });
    t.match(refused.stderr, 'depends on @carton/region ^9');
    t.match(refused.stderr, `but the release contains ${version}`);
    const served = await fetch(`${vendor.registryUrl}/@carton/cart`, {
      headers: { authorization: `Bearer ${secrets.publishSecret}` },
    });
    const { versions } = (await served.json()) as { versions: object };
    t.match(Object.keys(versions), exactly([/^0/]));
    checkout.git('checkout', '-q', '.');
  });

  t.test('a new minor version raises the ranges of dependent packages', async (t) => {
    await checkout.edit('vendor/region/routes.ts', 'Patched: ', 'Broken: ');
    const { status, stdout } = await release('--dry-run', '--minor', 'region');
    t.equal(status, 0);
    const raised = stdout.match(/^@carton\/.*->.*$/gm)?.map((line) => line.replace(/^@carton\/(\S+) .*/, '$1'));
    const manifests = checkout.git('ls-files', 'vendor/*/package.json').trim().split('\n');
    const dependents = await Promise.all(
      manifests.map(async (file) =>
        (await checkout.read(file)).includes('"@carton/region"') ? [file.split('/')[1]] : [],
      ),
    );
    t.strictSame(raised, dependents.flat());
    t.match(stdout, /### Versions of packages\n\n(\S+ \S+, )*pricing \S+, /);
    t.match(await release('--minor', 'nothing'), { status: 2, stderr: /there is no package nothing/ });
    t.match(await release('--help'), { status: 0, stdout: /^Usage: npm run release/ });
  });
}
