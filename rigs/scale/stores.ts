/**
 * The two stores that the scale rig compares: a large one and one like the demo data, in one box. A folder can keep them
 * for the next run, since filling the large one takes longer than measuring it.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@carton/runtime/testing';
import { type LoadTenant, openTenantAt, signInAt } from '../../tools/load/tenant.ts';
import { seedStore } from '../../tools/seed/index.ts';
import { secrets, startRigBox } from '../support/box.ts';
import { startRigPostgres, withReader } from '../support/postgres.ts';
import type { Stage } from '../support/rig.ts';

const sizesOfSmall = { products: 200, orders: 1000, members: 200 };

export interface Stores {
  small: LoadTenant;
  large: LoadTenant;
}

/** The database that a folder keeps, of which each run measures a copy: checkouts add orders. */
const keptDatabase = 'kept';

/** What a folder says of its stores. */
interface Kept {
  /** Of the owners of both stores. */
  password: string;
  small: KeptStore;
  large: KeptStore;
}

type KeptStore = Pick<LoadTenant, 'tenantId' | 'slug' | 'variants'>;

/** A running box and its stores. */
export interface OpenStores extends Stores {
  url: string;
  databaseUrl: string;
}

/**
 * Starts a box with both stores, which it fills, or copies from those that an earlier run has left in the folder of the
 * option `data`.
 */
export async function openStores(stage: Stage): Promise<OpenStores> {
  const folder = stage.word('data');
  const description = join(folder, 'stores.json');
  const kept = folder ? await readKept(description) : null;
  const { url: databaseUrl } = await startRigPostgres(stage, { folder: folder || stage.folder });
  if (kept) {
    stage.say(`copying the stores in ${folder}`);
    await copyDatabase(databaseUrl, keptDatabase, databaseOf(databaseUrl));
  }
  const box = await startRigBox(stage, { name: 'box', port: await freePort(), databaseUrl });
  const stores = kept ? await signIn(box.url, kept) : await createStores(stage, box.url, databaseUrl);
  // Otherwise autovacuum does it during the measurement.
  await withReader(databaseUrl, async (run) => {
    await run('vacuum analyze');
    await run('checkpoint');
  });
  if (folder && !kept) {
    await box.stop();
    await copyDatabase(databaseUrl, databaseOf(databaseUrl), keptDatabase);
    await box.start();
    const summary = ({ tenantId, slug, variants }: LoadTenant): KeptStore => ({ tenantId, slug, variants });
    const content: Kept = {
      password: secrets.hostingSecret,
      small: summary(stores.small),
      large: summary(stores.large),
    };
    await writeFile(description, JSON.stringify(content), { mode: 0o600 });
  }
  return { ...stores, url: box.url, databaseUrl };
}

function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

/** Replaces a database by a copy of another one, which nobody may use meanwhile. */
async function copyDatabase(url: string, from: string, to: string): Promise<void> {
  const administration = new URL(url);
  administration.pathname = '/postgres';
  await withReader(administration.href, async (run) => {
    await run(`drop database if exists "${to}"`);
    await run(`create database "${to}" template "${from}" strategy file_copy`);
  });
}

async function readKept(path: string): Promise<Kept | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Kept;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function signIn(url: string, { password, ...stores }: Kept): Promise<Stores> {
  const open = async (store: KeptStore): Promise<LoadTenant> => {
    const credentials = await signInAt(url, { hostingSecret: secrets.hostingSecret, slug: store.slug, password });
    return { ...store, ...credentials };
  };
  return { small: await open(stores.small), large: await open(stores.large) };
}

async function createStores(stage: Stage, url: string, databaseUrl: string): Promise<Stores> {
  const open = (slug: string) => openTenantAt(url, { secrets, slug, products: 2, stock: 1_000_000 });
  const stores = { small: await open('small'), large: await open('large') };
  const sizes = {
    products: stage.number('products'),
    orders: stage.number('orders'),
    members: stage.number('members'),
  };
  stage.say(`filling a store with ${sizes.products} products and ${sizes.orders} orders`);
  await seedStore(databaseUrl, { ...sizesOfSmall, tenant: stores.small.slug, signal: stage.signal });
  let tenths = 0;
  const { rows } = await seedStore(databaseUrl, {
    ...sizes,
    tenant: stores.large.slug,
    signal: stage.signal,
    onProgress({ done }) {
      if (done * 10 < tenths + 1) return;
      tenths = Math.floor(done * 10);
      stage.say(`${tenths * 10}%`);
    },
  });
  stage.say(`${rows} rows written`);
  return stores;
}
