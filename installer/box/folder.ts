/**
 * Where everything of a box stands in its folder, and the folder's life before and after a box is in it.
 */
import { access, constants, mkdir, readdir, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Failure } from '../failure.ts';
import { runtimePackage, scope, vendor } from '../vendor.ts';

/** The paths of one box. All are absolute. */
export interface BoxFolder {
  readonly root: string;
  readonly settings: string;
  readonly secrets: string;
  readonly releases: string;
  readonly current: string;
  readonly data: string;
  readonly logs: string;
  readonly log: string;
  readonly run: string;
  readonly pid: string;
  /** What a supervised box runs next (see supervision.ts). */
  readonly launchQueue: string;
}

/** The paths of the box in a folder, which need not exist. */
export function boxFolder(directory: string): BoxFolder {
  const root = resolve(directory);
  return {
    root,
    settings: join(root, 'box.json'),
    secrets: join(root, 'box.env'),
    releases: join(root, 'releases'),
    current: join(root, 'current'),
    data: join(root, 'data'),
    logs: join(root, 'logs'),
    log: join(root, 'logs', 'box.log'),
    run: join(root, 'run'),
    pid: join(root, 'run', 'box.pid'),
    launchQueue: join(root, 'run', 'next.json'),
  };
}

/** Folder of one release. A release still being pulled stands in the same place with `.partial` at its end. */
export function releaseFolder(folder: BoxFolder, id: string): string {
  return join(folder.releases, id);
}

/** The program of a release: what Node runs to run the box. */
export function releaseEntry(folder: BoxFolder, id: string): string {
  return join(releaseFolder(folder, id), 'node_modules', runtimePackage, 'dist', 'main.js');
}

/** Where a release's packages stand, side by side. */
export function packagesFolder(release: string): string {
  return join(release, 'node_modules', scope);
}

/** Whether a path exists. */
export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

/** The path itself, or its closest ancestor that exists. */
export async function nearestExisting(path: string): Promise<string> {
  return (await exists(path)) ? path : nearestExisting(dirname(path));
}

/**
 * Sees that a box can be written to the folder, without making it.
 * @throws Failure folder_unusable when it is a file, cannot be written, or holds something that is not a box
 */
export async function checkFolderUsable(folder: BoxFolder): Promise<void> {
  const nearest = await nearestExisting(folder.root);
  if (!(await stat(nearest)).isDirectory()) {
    throw new Failure('folder_unusable', `${nearest} is not a folder`, 'Choose another folder with --dir');
  }
  try {
    await access(nearest, constants.W_OK | constants.X_OK);
  } catch {
    throw new Failure(
      'folder_unusable',
      `${nearest} cannot be written by this user`,
      'Run as the user the folder belongs to, or choose another with --dir',
    );
  }
  if (nearest !== folder.root) return;
  // A command that was killed may have left a file it was about to rename, such as `box.json.123.new`.
  const known = /^(releases|data|logs|run|lost\+found|\..*|(box\.json|box\.env|current)(\..*)?)$/;
  const otherFiles = (await readdir(folder.root)).filter((name) => !known.test(name));
  if (otherFiles.length > 0 && !(await exists(folder.settings))) {
    throw new Failure(
      'folder_unusable',
      `${folder.root} holds other files (${otherFiles.slice(0, 3).join(', ')}) and no ${vendor} box`,
      'Choose an empty folder with --dir',
    );
  }
}

/**
 * Makes folders that are missing, and returns how to take them away again: the function removes those it made, innermost
 * first, and only as far as they are empty.
 */
export async function createFolders(paths: readonly string[]): Promise<() => Promise<void>> {
  const made: string[] = [];
  for (const path of paths) {
    const missing: string[] = [];
    for (let each = path; !(await exists(each)); each = dirname(each)) missing.unshift(each);
    for (const each of missing) {
      await mkdir(each).catch(ignoreExisting);
      made.push(each);
    }
  }
  return async () => {
    for (const path of made.reverse()) await rmdir(path).catch(() => undefined);
  };
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
