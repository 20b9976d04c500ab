/**
 * A copy of this checkout, with a history of its own, that a test may change and release from.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '@carton/runtime/testing';
import { root } from './stack.ts';

export interface Checkout {
  folder: string;
  /** Replaces words in a file. @throws Error when they are not in it */
  edit(file: string, before: string, after: string): Promise<void>;
  read(file: string): Promise<string>;
  git(...words: string[]): string;
  /** Runs a script of the checkout, such as `scripts/release.ts`. */
  run(script: string, words: string[], environment: Record<string, string>): Promise<Ended>;
}

interface Ended {
  status: number;
  stdout: string;
  stderr: string;
}

export async function makeCheckout(t: { teardown(task: () => Promise<void>): void }): Promise<Checkout> {
  const folder = await temporaryFolder('checkout-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  for (const file of files.trim().split('\n')) await cp(join(root, file), join(folder, file)).catch(ignoreDeleted);
  await linkModules(folder);
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...words], {
      cwd: folder,
      encoding: 'utf8',
    });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'The first commit');
  return {
    folder,
    git,
    read: (file) => readFile(join(folder, file), 'utf8'),
    async edit(file, before, after) {
      const content = await readFile(join(folder, file), 'utf8');
      if (!content.includes(before)) throw new Error(`${file} has no ${before}`);
      await writeFile(join(folder, file), content.replace(before, after));
    },
    async run(script, words, environment) {
      const child = spawn(process.execPath, ['--conditions=workspace-source', join(folder, script), ...words], {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [stdout, stderr, [status]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ]);
      return { status: status as number, stdout, stderr };
    },
  };
}

/** A file that was deleted and is not committed as such yet. */
function ignoreDeleted(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Third-party packages are this checkout's; the workspaces are the copy's own. */
async function linkModules(folder: string): Promise<void> {
  const { workspaces } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { workspaces: string[] };
  const modules = join(folder, 'node_modules');
  await mkdir(modules);
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name !== '@carton') await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  for (const pattern of workspaces) {
    const parent = dirname(pattern);
    const places = pattern.endsWith('/*')
      ? (await readdir(join(folder, parent))).map((name) => join(parent, name))
      : [pattern];
    for (const place of places) {
      const { name } = JSON.parse(await readFile(join(folder, place, 'package.json'), 'utf8')) as { name: string };
      const link = join(modules, name);
      await mkdir(dirname(link), { recursive: true });
      await symlink(join(folder, place), link).catch(() => undefined);
      const nested = join(root, place, 'node_modules');
      await symlink(nested, join(folder, place, 'node_modules')).catch(() => undefined);
    }
  }
}
