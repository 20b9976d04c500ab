// pnpm and Yarn (1, and the current one) with the gated registry.

import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { makeFolder, type NpmRun, openRegistry, publish, runClient } from '../testing/index.ts';

const { registry, tokenOf } = await openRegistry(t);
await publish(
  t,
  registry,
  { name: '@carton/core', version: '1.0.0', carton: { tier: 'basic' } },
  { name: '@carton/cart', version: '1.2.0', carton: { tier: 'basic' }, dependencies: { '@carton/core': '1.0.0' } },
  { name: '@carton/collection', version: '2.0.0', carton: { tier: 'growth' } },
);
const token = await tokenOf({ packages: ['@carton/core', '@carton/cart'] });

const program = (url: string, file: string) => join(dirname(fileURLToPath(url)), file);
const programs = {
  pnpm: program(import.meta.resolve('pnpm'), 'bin/pnpm.cjs'),
  yarn: program(import.meta.resolve('yarn/package.json'), 'bin/yarn.js'),
  berry: program(import.meta.resolve('@yarnpkg/cli-dist/package.json'), 'bin/yarn.js'),
};

/** Runs a client in a project with one dependency. */
async function run(client: keyof typeof programs, dependency: string, ...args: string[]) {
  const folder = await makeFolder(t);
  const manifest = { name: 'project', version: '1.0.0', license: 'UNLICENSED', dependencies: { [dependency]: '*' } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  // Yarn takes a folder with its lock file for a project.
  if (client === 'berry') await writeFile(join(folder, 'yarn.lock'), '');
  const settings = {
    npm_config_store_dir: join(folder, '.store'),
    YARN_CACHE_FOLDER: join(folder, '.cache'),
    ...(client === 'berry' && {
      YARN_NPM_REGISTRY_SERVER: registry.localUrl,
      YARN_NPM_AUTH_TOKEN: token,
      YARN_NPM_ALWAYS_AUTH: '1',
      YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
      YARN_ENABLE_IMMUTABLE_INSTALLS: '0',
      YARN_ENABLE_TELEMETRY: '0',
      YARN_GLOBAL_FOLDER: join(folder, '.yarn-global'),
      YARN_NODE_LINKER: 'node-modules',
      YARN_NPM_MINIMAL_AGE_GATE: '0',
    }),
  };
  const command = [process.execPath, programs[client], ...args];
  return { folder, ...(await runClient(registry, folder, token, command, settings)) };
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
  const audit = await runClient(registry, installed.folder, token, [process.execPath, programs.pnpm, 'audit']);
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
