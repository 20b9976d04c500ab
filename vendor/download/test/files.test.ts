/**
 * The files of variants: what staff can do with them, and how long they are stored.
 */
import { bodyOf, createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { releaseUnneeded } from '../files/release.ts';
import { buy, createArticle, download, packages, summaryOf, tokensOf, unknownId, upload } from './helpers.ts';

const environment = { MEDIA_FILE_MEGABYTES: '1', MEDIA_QUOTA_MEGABYTES: '2' };
const box = await createTestBox(t, { packages, tier: 'basic', environment });
const other = await box.openTenant();

/** Releases what is not needed, and counts the files that stay in the storage. */
async function storedFiles(): Promise<number> {
  await releaseUnneeded(box.db);
  const found = await box.db.query('select id from media_files where tenant_id = $1 and expires_at is null');
  return found.length;
}
const namesOf = async (variantId: string) =>
  (await bodyOf(box.staff.get(`/admin/variants/${variantId}/downloads`))).items.map(
    ({ fileName }: { fileName: string }) => fileName,
  );
const forget = async (...ids: string[]) => {
  for (const id of ids) await bodyOf(box.staff.delete(`/admin/downloads/${id}`));
};

t.test('staff upload, list, rename, order and delete files of any type', async (t) => {
  const variantId = await createArticle(box);
  const first = await upload(box, variantId, 'Einführung.epub', '<script>alert(1)</script>');
  t.match(first, {
    status: 201,
    body: { variantId, fileName: 'Einführung.epub', position: 0, size: 25, sha256: /^[0-9a-f]{64}$/ },
  });
  t.notOk('fileId' in first.body || 'deletedAt' in first.body);
  const path = `/admin/downloads/${first.body.id}`;
  t.equal(first.headers.get('location'), path);
  t.strictSame((await box.staff.get(path)).body, first.body);
  const second = await upload(box, variantId, 'setup.exe', 'MZ');
  t.strictSame(await namesOf(variantId), ['Einführung.epub', 'setup.exe']);
  t.match(await box.staff.patch(path, { position: 5, fileName: 'intro.epub' }), { status: 200 });
  t.strictSame(await namesOf(variantId), ['setup.exe', 'intro.epub']);
  t.match(await box.staff.patch(path, { fileName: '../evil' }), { status: 400 });

  const file = await download(box, `${path}/file`, { headers: box.staff.headers });
  t.strictSame([file.status, file.text], [200, '<script>alert(1)</script>']);
  t.match(Object.fromEntries(file.headers), {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="intro.epub"; filename*=UTF-8''intro.epub`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
  });
  await forget(first.body.id, second.body.id);
  t.strictSame(await namesOf(variantId), []);
  t.match(await box.staff.get(path), { status: 404 });
  t.equal(await storedFiles(), 0);
  t.strictSame(await box.db.query('select id from downloads where tenant_id = $1'), []);
});

t.test('empty and large files, too many, and those beyond the space of the store are refused', async (t) => {
  const variantId = await createArticle(box);
  t.match(await upload(box, variantId, 'empty.txt', ''), { status: 400 });
  t.match(await upload(box, variantId, 'large.txt', 'x'.repeat(1024 * 1024 + 1)), { status: 413 });
  t.match(await upload(box, unknownId, 'a.txt', 'a'), { status: 404 });
  const stored = [await upload(box, variantId, '1', 'x'.repeat(1024 * 1024)), await upload(box, variantId, '2', 'x')];
  t.match(await upload(box, variantId, '3', 'x'.repeat(1024 * 1024)), {
    status: 409,
    body: { code: 'quota_exceeded' },
  });
  await forget(...stored.map(({ body }) => body.id));
  for (let count = 1; count <= 50; count++) t.equal((await upload(box, variantId, `${count}.txt`, 'a')).status, 201);
  t.match(await upload(box, variantId, '51.txt', 'a'), { status: 409, body: { code: 'too_many_downloads' } });
  for (const { id } of (await box.staff.get(`/admin/variants/${variantId}/downloads`)).body.items) await forget(id);
  t.equal(await storedFiles(), 0);
});

t.test('files have no public address, are no media, and belong to one store', async (t) => {
  const variantId = await createArticle(box, 'secret.pdf');
  const [{ id }] = (await box.staff.get(`/admin/variants/${variantId}/downloads`)).body.items;
  const [stored] = await box.db.query<{ fileId: string }>('select file_id from downloads where tenant_id = $1');
  for (const each of [id, stored?.fileId]) {
    for (const name of ['original.pdf', 'original.bin']) {
      t.equal((await download(box, `/media/${each}/${name}`)).status, 404);
    }
    t.equal((await box.staff.get(`/admin/media/${each}`)).status, 404);
  }
  t.match(await box.staff.get('/admin/media'), { status: 200, body: { items: exactly([]) } });
  const path = `/admin/downloads/${id}`;
  for (const call of [
    other.staff.get(path),
    other.staff.get(`${path}/file`),
    other.staff.patch(path, { position: 1 }),
    other.staff.delete(path),
    other.staff.get(`/admin/variants/${variantId}/downloads`),
  ]) {
    t.match(await call, { status: 404, body: { code: 'not_found' } });
  }
  t.equal((await upload({ ...box, staff: other.staff }, variantId, 'a.txt', 'a')).status, 404);
  t.equal((await box.visitor().get(`${path}/file`)).status, 401);
  await forget(id);
});

t.test('a deleted file stays as long as buyers may need it', async (t) => {
  const variantId = await createArticle(box, 'kept.pdf');
  const [{ id }] = (await box.staff.get(`/admin/variants/${variantId}/downloads`)).body.items;
  const bought = await buy(box, variantId);
  await forget(id);
  t.strictSame(await namesOf(variantId), []);
  t.equal(await storedFiles(), 1);
  t.match((await buy(box, variantId)).grants, exactly([]), 'not for later orders');
  const { 'kept.pdf': token } = await tokensOf(box, bought.id);
  t.match(await download(box, `/downloads/${token}`), { status: 200, text: 'content of kept.pdf' });

  const grant = `/admin/download-grants/${bought.grants[0]?.id}`;
  const used = "update download_grants set download_count = 10, last_downloaded_at = now() - interval '2 years'";
  await box.db.query(`${used} where tenant_id = $1`);
  t.equal(await storedFiles(), 1, 'staff may allow more downloads');
  await bodyOf(box.staff.patch(grant, { ended: true }));
  t.equal(await storedFiles(), 1, 'staff may open it again');
  await bodyOf(box.staff.patch(grant, { ended: false, maxDownloads: null }));
  t.strictSame(await summaryOf(box, bought.id), ['available kept.pdf']);

  await bodyOf(box.staff.patch(grant, { expiresAt: '2020-01-01T00:00:00Z' }));
  t.equal(await storedFiles(), 0, 'a month after its end');
  t.match(await download(box, `/downloads/${token}`), { status: 410, code: 'download_ended' });
  const reopened = { status: 409, body: { code: 'download_grant_closed' } };
  t.match(await box.staff.patch(grant, { expiresAt: null }), reopened);
  t.match(await box.staff.patch(grant, { ended: false }), reopened);
  t.match(await box.staff.get(grant), { status: 200, body: { state: 'ended', fileName: 'kept.pdf' } });
});
