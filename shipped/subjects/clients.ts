/**
 * The clients of npm, pnpm and Yarn with the published packages, in the registry as it is shipped.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { callerOf } from '@carton/runtime/testing';
import type { Test } from 'tap';
import { makeFolder, makeProject, npm, runOtherClient } from '../../control-plane/registry/testing/index.ts';
import { localUrl } from '../../tools/shipped-stack/settings.ts';
import { subject } from '../subject.ts';
import { checkEnded } from '../support/ended.ts';

/** A package with dependencies, and one of a higher tier. */
const [bought, other] = ['@carton/checkout', '@carton/collection'];

subject('clients', async (t, { settings }) => {
  const { ports, secrets } = settings;
  const registry = { localUrl: localUrl(ports.registry) };
  const controlPlane = callerOf(localUrl(ports.controlPlane));
  const admin = callerOf(localUrl(ports.controlPlane), { authorization: `Bearer ${secrets.admin}` });
  const { key } = (await admin.post('/license/keys', { customerId: 'clients', tier: 'basic' })).body;
  const { token } = (await controlPlane.post('/license/activate', { key })).body;

  /** The package is there, and Node.js loads it with what it depends on. */
  const checkInstalled = async (t: Test, folder: string) => {
    const manifest = JSON.parse(await readFile(join(folder, 'node_modules', bought, 'package.json'), 'utf8'));
    t.equal(manifest.name, bought, 'is installed');
    const code = `import { createRequire } from 'node:module';
      const found = await import(createRequire(process.cwd() + '/x').resolve('${bought}'));
      console.log(typeof found.default);`;
    const words = ['--input-type=module', '--eval', code];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder, env: {} });
    t.equal(stdout.trim(), 'object', 'is loaded');
  };

  await t.test('npm installs an entitled package, and no other', async (t) => {
    const folder = await makeFolder(t);
    await makeProject('pnpm', folder, {});
    const installed = await npm(registry, folder, token, 'install', bought);
    checkEnded(t, installed, 0, 'npm install');
    await checkInstalled(t, folder);
    checkEnded(t, await npm(registry, folder, token, 'ls', '--all'), 0, 'npm ls');
    checkEnded(t, await npm(registry, folder, token, 'ci'), 0, 'npm ci');
    const view = await npm(registry, folder, token, 'view', bought, 'name');
    checkEnded(t, view, 0, 'npm view', bought);
    const refused = await npm(registry, folder, token, 'install', other);
    checkEnded(t, refused, 1, 'another tier is refused', /is in the growth tier; this licence is basic/);
  });

  const commands = {
    pnpm: ['install'],
    yarn: ['install', '--no-progress', '--non-interactive'],
    berry: ['install'],
  } as const;
  for (const client of ['pnpm', 'yarn', 'berry'] as const) {
    await t.test(`${client} installs an entitled package, and no other`, async (t) => {
      const folder = await makeFolder(t);
      await makeProject(client, folder, { [bought]: '*' });
      const installed = await runOtherClient(registry, client, folder, token, ...commands[client]);
      checkEnded(t, installed, 0, `${client} install`);
      if (installed.code === 0) await checkInstalled(t, folder);
      const elsewhere = await makeFolder(t);
      await makeProject(client, elsewhere, { [other]: '*' });
      const refused = await runOtherClient(registry, client, elsewhere, token, ...commands[client]);
      checkEnded(t, refused, 1, 'another tier is refused', /403|is in the growth tier/);
    });
  }
});
