// pnpm and Yarn (1, and the current one) as clients of a registry, in a project with dependencies.

import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClientOf, type NpmRun, runClient } from './clients.ts';

const program = (url: string, file: string) => join(dirname(fileURLToPath(url)), file);

const programs = {
  pnpm: program(import.meta.resolve('pnpm'), 'bin/pnpm.cjs'),
  yarn: program(import.meta.resolve('yarn/package.json'), 'bin/yarn.js'),
  berry: program(import.meta.resolve('@yarnpkg/cli-dist/package.json'), 'bin/yarn.js'),
};

export type OtherClient = keyof typeof programs;

/** Makes a folder a project with these dependencies, for a client. */
export async function makeProject(client: OtherClient, folder: string, dependencies: Record<string, string>) {
  const manifest = { name: 'project', version: '1.0.0', license: 'UNLICENSED', dependencies };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  // Yarn takes a folder with its lock file for a project.
  if (client === 'berry') await writeFile(join(folder, 'yarn.lock'), '');
}

/** Runs a client in a project, with a cache and settings of its own. */
export function runOtherClient(
  registry: ClientOf,
  client: OtherClient,
  folder: string,
  token: string,
  ...args: string[]
): Promise<NpmRun> {
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
  return runClient(registry, folder, token, [process.execPath, programs[client], ...args], settings);
}
