/**
 * The packages of this checkout, built once for all test files of a run: a build takes longer than most files.
 */
import { mkdir, readFile, rename, watch, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { administrationUrl, temporaryFolder } from '@carton/runtime/testing';
import { repository } from '../packages/sources.ts';
import { runScript } from './run-script.ts';

/** The folder of a run of tests, which is removed at its end: it holds the PostgreSQL server of the run. */
async function folderOfRun(): Promise<string> {
  const socket = new URL(administrationUrl()).searchParams.get('host') ?? '';
  const folder = /^(\/.+)\/postgresql\/socket$/.exec(socket)?.[1];
  // The server is not one of the run's own.
  return folder ?? temporaryFolder('built-packages-');
}

/** Says in the folder how the build has ended: an empty text, or the error. */
const outcome = 'outcome';

async function readOutcome(folder: string): Promise<string | null> {
  return readFile(join(folder, outcome), 'utf8').catch(() => null);
}

async function build(folder: string): Promise<void> {
  const words = ['--build', '--this-platform', '--out', folder];
  const { status, stderr } = await runScript(join(repository, 'scripts/release/publish-packages.ts'), words, {
    HOME: process.env.HOME,
  });
  await writeFile(join(folder, `${outcome}.new`), status === 0 ? '' : `exit ${status}: ${stderr}`);
  await rename(join(folder, `${outcome}.new`), join(folder, outcome));
}

/** Resolves when another test file has built. */
async function waitForBuild(folder: string): Promise<void> {
  const done = new AbortController();
  const changes = watch(folder, { signal: done.signal });
  if ((await readOutcome(folder)) !== null) return done.abort();
  for await (const _ of changes) if ((await readOutcome(folder)) !== null) return;
}

/**
 * Returns the folder of the build, in which `buildPackages` finds all of them built.
 * @throws Error if they cannot be built
 */
export async function builtPackages(): Promise<string> {
  const folder = join(await folderOfRun(), 'packages');
  const isFirst = await mkdir(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
  await (isFirst ? build(folder) : waitForBuild(folder));
  const failure = await readOutcome(folder);
  if (failure) throw new Error(`the packages cannot be built: ${failure}`);
  return folder;
}
