// npm's own client for the publisher, with separate settings. The secret is neither in its arguments nor on disk.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type NpmClient = {
  /**
   * Runs npm with these arguments.
   * @throws Error with npm's output if it fails
   */
  run(...parameters: string[]): Promise<void>;
  /** Deletes its settings and cache. */
  close(): Promise<void>;
};

/** Opens a client for one registry with one bearer secret. */
export async function openNpmClient(registryUrl: string, secret: string): Promise<NpmClient> {
  const folder = await mkdtemp(join(tmpdir(), 'publish-'));
  const registry = `${registryUrl.replace(/\/+$/, '')}/`;
  // npm replaces the variable, so the secret is only in the environment.
  const settings = [
    `registry=${registry}`,
    `${registry.replace(/^https?:/, '')}:_authToken=\${PUBLISHER_BEARER_SECRET}`,
    `cache=${join(folder, 'cache')}`,
    'audit=false',
    'fund=false',
    'update-notifier=false',
  ];
  await writeFile(join(folder, 'npmrc'), `${settings.join('\n')}\n`);
  // Settings of the npm that runs this script (npm run …) must not reach the child process.
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const environment = {
    ...Object.fromEntries(inherited),
    npm_config_userconfig: join(folder, 'npmrc'),
    npm_config_globalconfig: join(folder, 'no-global-settings'),
    PUBLISHER_BEARER_SECRET: secret,
  };

  return {
    async run(...parameters) {
      const child = spawn('npm', parameters, { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      child.stdout.on('data', (chunk) => {
        output += chunk;
      });
      child.stderr.on('data', (chunk) => {
        output += chunk;
      });
      const [code] = (await once(child, 'close')) as [number | null];
      if (code !== 0) throw new Error(`npm ${parameters[0]} failed:\n${output.trim()}`);
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
