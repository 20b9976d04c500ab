/**
 * The program that says which settings a release has, for test engines: it runs the engine's own from source, with packages
 * of the workspace.
 */
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder, withDependencies } from '@carton/runtime/testing';
import { lockFileName, scope } from '../../vendor.ts';
import { compileCache } from './bundle.ts';
import type { Entry } from './packages.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Those with the settings that tests change. */
const withSettings = ['media', 'notification', 'payment', 'stripe'].map((name) => `${scope}/${name}`);

/** Returns the program's entry in the engine's package, and the folder to remove after the test. */
export async function checkSettingsProgram(): Promise<{ entry: Entry; folder: string }> {
  const folder = await temporaryFolder('declared-settings-');
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const packages = Object.fromEntries(withDependencies(withSettings).map((name) => [name, {}]));
  const lockFile = join(folder, lockFileName);
  await writeFile(lockFile, JSON.stringify({ tier: 'basic', packages }));
  const program = join(root, 'runtime/check-settings.ts');
  const content = `
import { spawnSync } from 'node:child_process';
const env = { ...process.env, BOX_PACKAGES: ${JSON.stringify(lockFile)}, NODE_COMPILE_CACHE: ${JSON.stringify(compileCache)} };
const words = ['--conditions=workspace-source', ${JSON.stringify(program)}];
process.exitCode = spawnSync(process.execPath, words, { env, stdio: 'inherit' }).status;
`;
  return { entry: { path: 'dist/check-settings.js', content }, folder };
}
