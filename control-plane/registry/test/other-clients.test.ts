// pnpm and Yarn (1, and the current one) with the gated registry.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import {
  makeFolder,
  makeProject,
  type NpmRun,
  type OtherClient,
  openRegistry,
  publish,
  runOtherClient,
} from '../testing/index.ts';

const { registry, tokenOf } = await openRegistry(t);
await publish(
  t,
  registry,
  { name: '@carton/core', version: '1.0.0', carton: { tier: 'basic' } },
  { name: '@carton/cart', version: '1.2.0', carton: { tier: 'basic' }, dependencies: { '@carton/core': '1.0.0' } },
  { name: '@carton/collection', version: '2.0.0', carton: { tier: 'growth' } },
);
const token = await tokenOf({ packages: ['@carton/core', '@carton/cart'] });

/** Runs a client in a project with one dependency. */
async function run(client: OtherClient, dependency: string, ...args: string[]) {
  const folder = await makeFolder(t);
  await makeProject(client, folder, { [dependency]: '*' });
  return { folder, ...(await runOtherClient(registry, client, folder, token, ...args)) };
}

async function checkInstalled(t: Test, { folder, code, output }: NpmRun & { folder: string }, core: string) {
  t.equal(code, 0, output);
  t.match(JSON.parse(await readFile(join(folder, 'node_modules/@carton/cart/package.json'), 'utf8')), {
    name: '@carton/cart',
    version: '1.2.0',
  });
  t.match(JSON.parse(await readFile(join(folder, core, 'package.json'), 'utf8')), { name: '@carton/core' });
}

t.test('pnpm installs and audits entitled packages, and does not install others', async (t) => {
  const core = 'node_modules/.pnpm/@carton+core@1.0.0/node_modules/@carton/core';
  const installed = await run('pnpm', '@carton/cart', 'install');
  await checkInstalled(t, installed, core);
  const audit = await runOtherClient(registry, 'pnpm', installed.folder, token, 'audit');
  t.strictSame(audit, { code: 0, output: 'No known vulnerabilities found\n' });
  const refused = await run('pnpm', '@carton/collection', 'install');
  t.equal(refused.code, 1);
  t.match(refused.output, 'Forbidden - 403');
});

t.test('Yarn 1 installs entitled packages, and names the tier of others', async (t) => {
  const options = ['install', '--no-progress', '--non-interactive'];
  await checkInstalled(t, await run('yarn', '@carton/cart', ...options), 'node_modules/@carton/core');
  const refused = await run('yarn', '@carton/collection', ...options);
  t.equal(refused.code, 1);
  t.match(refused.output, '@carton/collection is in the growth tier; this licence is basic');
});

t.test('the current Yarn installs entitled packages, and not others', async (t) => {
  await checkInstalled(t, await run('berry', '@carton/cart', 'install'), 'node_modules/@carton/core');
  const refused = await run('berry', '@carton/collection', 'install');
  t.equal(refused.code, 1);
  t.match(refused.output, 'Response Code: 403 (Forbidden)');
});
