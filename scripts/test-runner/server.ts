/**
 * What the tests of a run share: a folder for temporary files, and one PostgreSQL server with a template database that
 * has the tables of all packages.
 */
import { constants } from 'node:fs';
import { access, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createTemplate, dropTemplate, startOwnServer, temporaryFolder } from '@carton/runtime/testing';

/** A file system in memory on most systems. */
const inMemory = '/dev/shm';

/** Bytes that must be free there. */
const minRoom = 6e9;

/**
 * The parent of the folder: in memory where there is room, since what tests write is needed for seconds only.
 * Programs must be executable there, as packages of a box have some.
 */
async function parentFolder(): Promise<string> {
  if (process.env.TMPDIR) return tmpdir();
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '');
  const options = new RegExp(`^\\S+ ${inMemory} tmpfs (\\S+)`, 'm').exec(mounts)?.[1]?.split(',');
  if (!options || options.includes('noexec') || options.includes('ro')) return tmpdir();
  const { bavail, bsize } = await statfs(inMemory);
  const writable = await access(inMemory, constants.W_OK).then(
    () => true,
    () => false,
  );
  return writable && bavail * bsize >= minRoom ? inMemory : tmpdir();
}

export interface TestServer {
  /** Variables of the tests' processes. */
  environment: { TEST_DATABASE_URL: string; TEST_TEMPLATE: string; TMPDIR: string };
  stop(): Promise<void>;
}

/**
 * The URL of TEST_DATABASE_URL, if it has one. An empty one names no server: PostgreSQL's client would connect to that of
 * PGHOST. @throws Error for another text
 */
function namedServer(): string | undefined {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) return undefined;
  if (!/^postgres(ql)?:\/\/[^/]+\/./.test(url)) {
    throw new Error('TEST_DATABASE_URL must be a URL with a host and a database: postgres://user@host/database');
  }
  return url;
}

/** Starts a PostgreSQL server, or uses the one of TEST_DATABASE_URL, and creates the template. */
export async function startServer(): Promise<TestServer> {
  const named = namedServer();
  const folder = await temporaryFolder('carton-', await parentFolder());
  if (named === undefined) {
    // It has a process of its own, which ends it and removes the folder even if this one is killed.
    const { environment, stop } = await startOwnServer(folder);
    return { environment: { ...environment, TMPDIR: folder }, stop };
  }
  let template: string | undefined;
  const stop = async () => {
    if (template) await dropTemplate(named, template);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    template = await createTemplate(named);
    return { environment: { TEST_DATABASE_URL: named, TEST_TEMPLATE: template, TMPDIR: folder }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
