/**
 * Copies of a checkout, in which source files can be changed without touching it. A copy has the files that git knows or
 * would add, and links to the installed packages; those of the project itself lead to the copy.
 */
import { execFile } from 'node:child_process';
import { copyFile, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** @param folder does not exist yet */
export async function copyCheckout(checkout: string, folder: string): Promise<void> {
  const { stdout } = await promisify(execFile)(
    'git',
    ['-C', checkout, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  // A link in the place of the folder of packages is not ignored as the folder is.
  const files = [...new Set(stdout.split('\0'))].filter((file) => file !== '' && basename(file) !== 'node_modules');
  const folders = new Set(files.map(dirname));
  for (const each of folders) await mkdir(join(folder, each), { recursive: true });
  for (const file of files) await copyFile(join(checkout, file), join(folder, file)).catch(ignoreMissing);
  await linkPackages(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  for (const each of folders) {
    const installed = join(each, 'node_modules');
    if (each !== '.' && (await exists(join(checkout, installed)))) {
      await symlink(join(checkout, installed), join(folder, installed));
    }
  }
}

/** Links packages: relative links, which lead to workspaces, as they are; the packages of a scope one by one. */
async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else if (entry.isDirectory() && entry.name.startsWith('@')) await linkPackages(source, target);
    else await symlink(source, target);
  }
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** A file that is deleted and not committed is known to git. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
