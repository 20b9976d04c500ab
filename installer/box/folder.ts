/**
 * The paths in a box's folder, and checking and creating the folder.
 */
import { access, constants, mkdir, readdir, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Failure } from '../failure.ts';
import { runtimePackage, scope, vendor } from '../vendor.ts';

/** The absolute paths of one box. */
export interface BoxFolder {
  readonly root: string;
  readonly settings: string;
  readonly secrets: string;
  readonly installationId: string;
  /** Seals the backups of the box (backup/key.ts). */
  readonly backupKey: string;
  readonly releases: string;
  readonly current: string;
  readonly data: string;
  /** Records and backups of upgrades. */
  readonly upgrades: string;
  readonly logs: string;
  readonly log: string;
  readonly run: string;
  readonly pid: string;
  /** The launches that a supervising parent runs next (see supervisor/supervision.ts). */
  readonly launchQueue: string;
}

/** Returns the paths of the box in a folder, which need not exist. */
export function boxFolder(directory: string): BoxFolder {
  const root = resolve(directory);
  return {
    root,
    settings: join(root, 'box.json'),
    secrets: join(root, 'box.env'),
    // Hidden files are ignored where a box is to be installed, also by earlier versions of the command.
    installationId: join(root, '.installation-id'),
    backupKey: join(root, '.backup-key'),
    releases: join(root, 'releases'),
    current: join(root, 'current'),
    data: join(root, 'data'),
    upgrades: join(root, 'upgrades'),
    logs: join(root, 'logs'),
    log: join(root, 'logs', 'box.log'),
    run: join(root, 'run'),
    pid: join(root, 'run', 'box.pid'),
    launchQueue: join(root, 'run', 'next.json'),
  };
}

/** Returns the folder of a release. While it is being pulled, `.partial` is appended to the name. */
export function releaseFolder(folder: BoxFolder, id: string): string {
  return join(folder.releases, id);
}

/** Returns the path of a release's program, which Node runs as the box. */
export function releaseEntry(folder: BoxFolder, id: string): string {
  return join(releaseFolder(folder, id), 'node_modules', runtimePackage, 'dist', 'main.js');
}

/** Returns the folder that contains a release's packages. */
export function packagesFolder(release: string): string {
  return join(release, 'node_modules', scope);
}

/** Whether a path exists. */
export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

/** Returns the path itself, or its closest existing ancestor. */
export async function nearestExisting(path: string): Promise<string> {
  return (await exists(path)) ? path : nearestExisting(dirname(path));
}

/**
 * Checks that a box can be installed in the folder, without creating it.
 * @throws Failure folder_unusable when it is a file, is not writable, or contains something other than a box
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
      `${nearest} is not writable by this user`,
      'Run the command as the owner of the folder, or choose another folder with --dir',
    );
  }
  if (nearest !== folder.root) return;
  // A killed command may have left a temporary file such as `box.json.123.new`.
  const known =
    /^(releases|data|upgrades|logs|run|backups|backup\.json|lost\+found|\..*|(box\.json|box\.env|current)(\..*)?)$/;
  const otherFiles = (await readdir(folder.root)).filter((name) => !known.test(name));
  if (otherFiles.length > 0 && !(await exists(folder.settings))) {
    throw new Failure(
      'folder_unusable',
      `${folder.root} contains other files (${otherFiles.slice(0, 3).join(', ')}) but no ${vendor} box`,
      'Choose an empty folder with --dir',
    );
  }
}

/**
 * Rejects root in the folder of another user, such as that of a service: what root writes there, that user could not
 * change any more.
 * @throws Failure folder_unusable
 */
export async function checkOwner(folder: BoxFolder): Promise<void> {
  if (process.getuid?.() !== 0 || !(await exists(folder.root))) return;
  const { uid } = await stat(folder.root);
  if (uid === 0) return;
  throw new Failure(
    'folder_unusable',
    `${folder.root} belongs to another user (${uid}), who could not use what root writes there`,
    `Run the command as that user: sudo -u '#${uid}' ${vendor} …`,
  );
}

/**
 * Creates missing folders with their parents. Returns a function that removes the folders created, innermost first, if
 * they are empty.
 */
export async function createFolders(paths: readonly string[]): Promise<() => Promise<void>> {
  const created: string[] = [];
  for (const path of paths) {
    const missing: string[] = [];
    for (let each = path; !(await exists(each)); each = dirname(each)) missing.unshift(each);
    for (const each of missing) {
      await mkdir(each).catch(ignoreExisting);
      created.push(each);
    }
  }
  return async () => {
    for (const path of created.reverse()) await rmdir(path).catch(() => undefined);
  };
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
