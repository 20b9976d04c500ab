/**
 * Private files of other packages: without an address, in the space and the export of the store, stored until they are
 * released.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TenantDatabase } from '@carton/runtime';
import { createTestBox, exactly, temporaryFolder } from '@carton/runtime/testing';
import t from 'tap';
import { exportedFiles } from '../exports.ts';
import {
  keepPrivateFile,
  type PrivateFile,
  privateContent,
  releasePrivateFiles,
  storePrivateFile,
} from '../files/private.ts';
import { deleteExpiredFiles } from '../jobs.ts';
import { document, packages, upload } from './helpers.ts';

const dataFolder = await temporaryFolder('private-files-');
const environment = { MEDIA_QUOTA_MEGABYTES: '1' };
const box = await createTestBox(t, { packages, tier: 'basic', dataFolder, environment });
const other = await box.openTenant();
const content = Buffer.from('MZ, or anything else');
const source = join(dataFolder, 'source');
await writeFile(source, content);
const megabyte = 1024 * 1024;

const store = (db: TenantDatabase = box.db) => storePrivateFile(db, { path: source, size: content.length });
const keep = (file: PrivateFile) => box.db.transaction((tx) => keepPrivateFile(tx, file));
const release = (...files: PrivateFile[]) =>
  box.db.transaction((tx) =>
    releasePrivateFiles(
      tx,
      files.map(({ id }) => id),
    ),
  );
/** The code of the problem; null if there is none. */
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error) => error.type?.code,
  );
const storedFiles = async () => {
  const entries = await readdir(join(dataFolder, 'media'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
};
const expire = () =>
  box.db.query(
    "update media_files set expires_at = now() - interval '1 second' where tenant_id = $1 and expires_at is not null",
  );
async function bytesOf(file: PrivateFile, range?: { start: number; end: number }): Promise<string> {
  let text = '';
  for await (const chunk of privateContent(box.db, file, 'setup.exe').open(range)) text += String(chunk);
  return text;
}
async function exportedPaths(db: TenantDatabase): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path } of exportedFiles.list(db)) paths.push(path);
  return paths;
}

t.test('a kept file is stored until it is released', async (t) => {
  const file = await store();
  await keep(file);
  await expire();
  await deleteExpiredFiles(box.db);
  t.strictSame(await storedFiles(), [file.id]);
  t.equal(await bytesOf(file), String(content));
  t.equal(await bytesOf(file, { start: 4, end: 5 }), 'or');
  await release(file);
  await deleteExpiredFiles(box.db);
  t.strictSame(await storedFiles(), []);
  t.strictSame(await box.db.query('select id from media_files where tenant_id = $1'), []);
});

t.test('a file that nobody keeps is deleted, and cannot be kept any more', async (t) => {
  const file = await store();
  await expire();
  t.equal(await failureOf(keep(file)), 'unavailable');
  await deleteExpiredFiles(box.db);
  t.strictSame(await storedFiles(), []);
  t.equal(await failureOf(keep(file)), 'unavailable');
});

t.test('it is saved and not opened, and has no address', async (t) => {
  const file = await store();
  await keep(file);
  const { mediaType, size, etag, headers } = privateContent(box.db, file, 'Größe.exe');
  t.strictSame({ mediaType, size, etag }, { mediaType: 'application/octet-stream', size: 20, etag: `"${file.id}"` });
  t.equal(headers?.['Content-Disposition'], `attachment; filename="Gr__e.exe"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.exe`);
  t.match(headers?.['Content-Security-Policy'], /sandbox/);
  for (const name of ['original.bin', 'original.pdf', 'private.bin', '640.webp']) {
    const { status } = await box.visitor().get(`/media/${file.id}/${name}`);
    t.ok([400, 404].includes(status), name);
  }
  t.match(await box.staff.get('/admin/media'), { status: 200, body: { items: exactly([]) } });
  t.match(await box.staff.get(`/admin/media/${file.id}`), { status: 404 });
  t.match(await box.staff.delete(`/admin/media/${file.id}`), { status: 404 });
  await release(file);
});

t.test('what is not kept cannot be released; assets are not private files', async (t) => {
  const { body: asset } = await upload(box, document);
  const [row] = await box.db.query<PrivateFile>(
    'select id, size from media_files where tenant_id = $1 and asset_id = $2',
    [asset.id],
  );
  await release(row as PrivateFile);
  await deleteExpiredFiles(box.db);
  t.equal((await box.visitor().get(asset.url)).status, 200);
  await box.staff.delete(`/admin/media/${asset.id}`);
  await deleteExpiredFiles(box.db);
});

t.test('it takes space of the store', async (t) => {
  const large = join(dataFolder, 'large');
  await writeFile(large, Buffer.alloc(megabyte - 10));
  const file = await storePrivateFile(box.db, { path: large, size: megabyte - 10 });
  await keep(file);
  t.equal(await failureOf(store()), 'quota_exceeded');
  t.match(await upload(box, document), { status: 409, body: { code: 'quota_exceeded' } });
  await store(other.db);
  await release(file);
  await release(await store());
});

t.test('the export has kept files', async (t) => {
  const { body: asset } = await upload(box, document);
  const [kept, released] = [await store(), await store()];
  await store();
  for (const file of [kept, released]) await keep(file);
  await release(released);
  t.strictSame((await exportedPaths(box.db)).sort(), [`${asset.id}/original.pdf`, `private/${kept.id}`].sort());
  t.strictSame(await exportedPaths(other.db), []);
});
