/**
 * A copy of this checkout with a new Git history, which a test can change and release.
 */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@carton/runtime/testing';
import { runScript, type ScriptResult } from '../../../../tools/test/run-script.ts';
import { root } from '../../../test/support/stack.ts';

export interface Checkout {
  folder: string;
  /**
   * Replaces a text in a file.
   * @throws Error if the file does not contain it
   */
  edit(file: string, before: string, after: string): Promise<void>;
  read(file: string): Promise<string>;
  git(...parameters: string[]): string;
  /** Runs a script of the checkout, such as `scripts/release/release.ts`. */
  run(script: string, parameters: string[], environment: Record<string, string>): Promise<ScriptResult>;
}

export async function makeCheckout(t: { teardown(task: () => Promise<void>): void }): Promise<Checkout> {
  const folder = await temporaryFolder('checkout-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  for (const file of files.trim().split('\n')) await cp(join(root, file), join(folder, file)).catch(ignoreDeleted);
  await linkModules(folder);
  const git = (...parameters: string[]) => execFileSync('git', parameters, { cwd: folder, encoding: 'utf8' });
  git('init', '-q');
  // Also for scripts that commit.
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.com');
  git('add', '-A');
  git('commit', '-q', '-m', 'The first commit');
  return {
    folder,
    git,
    read: (file) => readFile(join(folder, file), 'utf8'),
    async edit(file, before, after) {
      const content = await readFile(join(folder, file), 'utf8');
      if (!content.includes(before)) throw new Error(`${file} does not contain ${before}`);
      await writeFile(join(folder, file), content.replace(before, after));
    },
    run: (script, parameters, environment) =>
      runScript(join(folder, script), parameters, { HOME: process.env.HOME, ...environment }, folder),
  };
}

/** Git still lists a file whose deletion is not committed. */
function ignoreDeleted(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Links third-party packages to those of this checkout, and workspaces to the copy's own. */
async function linkModules(folder: string): Promise<void> {
  const { workspaces } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { workspaces: string[] };
  const modules = join(folder, 'node_modules');
  await mkdir(modules);
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name !== '@carton') await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  for (const pattern of workspaces) {
    const parent = dirname(pattern);
    const folders = pattern.endsWith('/*')
      ? (await readdir(join(folder, parent))).map((name) => join(parent, name))
      : [pattern];
    for (const workspace of folders) {
      const { name } = JSON.parse(await readFile(join(folder, workspace, 'package.json'), 'utf8')) as { name: string };
      const link = join(modules, name);
      await mkdir(dirname(link), { recursive: true });
      await symlink(join(folder, workspace), link).catch(() => undefined);
      const nested = join(root, workspace, 'node_modules');
      await symlink(nested, join(folder, workspace, 'node_modules')).catch(() => undefined);
    }
  }
}
