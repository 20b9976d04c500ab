/**
 * Media assets: what staff can do with them, and how their files are read.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestBox, eventsOf, temporaryFolder } from '@carton/runtime/testing';
import sharp from 'sharp';
import t from 'tap';
import { deleteExpiredFiles } from '../jobs.ts';
import { document, download, packages, picture, unknownId, upload, video } from './helpers.ts';

const dataFolder = await temporaryFolder('media-test-');
const box = await createTestBox(t, { packages, tier: 'basic', dataFolder });
const other = await box.openTenant();
const jpeg = await picture(800, 600).jpeg().toBuffer();

const storedFiles = async () => {
  const entries = await readdir(join(dataFolder, 'media'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
};

t.test('an uploaded picture is an asset with its file', async (t) => {
  const created = await upload(box, jpeg, 'Blue shirt.jpeg', { altText: 'A shirt', externalId: 'erp-1' });
  const { id } = created.body;
  t.match(created, {
    status: 201,
    body: {
      kind: 'picture',
      mediaType: 'image/jpeg',
      fileName: 'Blue shirt.jpeg',
      altText: 'A shirt',
      externalId: 'erp-1',
      width: 800,
      height: 600,
      focalPoint: null,
      url: `/media/${id}/original.jpg`,
    },
  });
  t.equal(created.headers.get('location'), `/admin/media/${id}`);
  t.strictSame((await box.staff.get(`/admin/media/${id}`)).body, created.body);
  t.strictSame((await box.staff.get('/admin/media?kind=picture')).body.items, [created.body]);
  t.strictSame((await box.staff.get('/admin/media?kind=video')).body.items, []);

  const file = await download(box.visitor(), `${box.url}${created.body.url}`);
  t.equal(file.status, 200);
  t.equal(file.bytes.length, created.body.size);
  t.equal(file.headers.get('content-length'), String(created.body.size));
  t.match(await sharp(file.bytes).metadata(), { format: 'jpeg', width: 800, height: 600 });
  const expected = {
    'content-type': 'image/jpeg',
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-disposition': `inline; filename="Blue_shirt.jpg"; filename*=UTF-8''Blue%20shirt.jpg`,
    'cross-origin-resource-policy': 'cross-origin',
  };
  t.match(Object.fromEntries(file.headers), expected);
  t.match(file.headers.get('content-security-policy'), /^default-src 'none';.*; sandbox$/);

  const etag = file.headers.get('etag') as string;
  const again = await download(box.visitor(), `${box.url}${created.body.url}`, { 'if-none-match': etag });
  t.strictSame([again.status, again.bytes.length, again.headers.get('etag')], [304, 0, etag]);
  t.match(again.headers.get('cache-control'), /immutable/);
});

t.test('names, texts and focal points change; the file does not', async (t) => {
  const { body } = await upload(box, jpeg);
  const path = `/admin/media/${body.id}`;
  const patch = { fileName: 'новое имя.jpg', altText: 'New', focalPoint: { x: 0.25, y: 1 }, metadata: { by: 'Ada' } };
  t.match(await box.staff.patch(path, patch), { status: 200, body: { ...patch, sha256: body.sha256, url: body.url } });
  t.match(await box.staff.patch(path, { focalPoint: { x: 1.5, y: 0 } }), { status: 400 });
  t.match(await box.staff.patch(path, { fileName: '../evil' }), { status: 400 });
  t.match(await box.staff.patch(path, { mediaType: 'image/png' }), { status: 400 });
  const { headers } = await download(box.visitor(), `${box.url}${body.url}`);
  t.match(headers.get('content-disposition'), /filename\*=UTF-8''%D0%BD%D0%BE/);
});

t.test('a deleted asset is gone with its file, and has events', async (t) => {
  const { body } = await upload(box, jpeg, 'gone.jpg');
  const [row] = await box.db.query<{ id: string }>(
    'select id from media_files where tenant_id = $1 and asset_id = $2',
    [body.id],
  );
  t.ok((await storedFiles()).includes(row?.id as string));
  t.match(await box.staff.delete(`/admin/media/${body.id}`), { status: 204 });
  t.match(await box.staff.delete(`/admin/media/${body.id}`), { status: 404 });
  t.match(await box.visitor().get(body.url), { status: 404, body: { code: 'not_found' } });
  await deleteExpiredFiles(box.db);
  t.notOk((await storedFiles()).includes(row?.id as string));
  const events = await eventsOf(box, body.id);
  const payload = { kind: 'picture', mediaType: 'image/jpeg', size: body.size };
  t.strictSame(
    events.map(({ type, payload }) => [type, payload]),
    [
      ['media.created', payload],
      ['media.deleted', payload],
    ],
  );
});

t.test('videos and documents are stored as they are', async (t) => {
  const film = video();
  const created = await upload(box, film, 'film.mp4');
  t.match(created, { status: 201, body: { kind: 'video', mediaType: 'video/mp4', width: null } });
  t.strictSame(created.body.variants, []);
  t.strictSame((await download(box.visitor(), `${box.url}${created.body.url}`)).bytes, film);
  const paper = await upload(box, document, 'Größen (2026).pdf');
  t.match(paper, { status: 201, body: { kind: 'document', mediaType: 'application/pdf' } });
  const { headers, bytes } = await download(box.visitor(), `${box.url}${paper.body.url}`);
  t.strictSame(bytes, document);
  t.equal(
    headers.get('content-disposition'),
    `attachment; filename="Gr__en__2026_.pdf"; filename*=UTF-8''Gr%C3%B6%C3%9Fen%20%282026%29.pdf`,
  );
});

t.test('a part of a file is read by its range', async (t) => {
  const film = video();
  const url = `${box.url}${(await upload(box, film)).body.url}`;
  const whole = await download(box.visitor(), url);
  t.equal(whole.headers.get('accept-ranges'), 'bytes');
  const etag = whole.headers.get('etag') as string;
  const cases: [range: string, start: number, end: number][] = [
    ['bytes=0-99', 0, 99],
    ['bytes=99990-', 99_990, 99_999],
    ['bytes=-10', 99_990, 99_999],
    ['bytes=50000-999999999', 50_000, 99_999],
    ['bytes=-999999999', 0, 99_999],
    [`bytes=-${'9'.repeat(400)}`, 0, 99_999],
    [`Bytes=99999-${'9'.repeat(20)}`, 99_999, 99_999],
  ];
  for (const [range, start, end] of cases) {
    const part = await download(box.visitor(), url, { range, 'if-range': etag });
    t.equal(part.status, 206, range);
    t.equal(part.headers.get('content-range'), `bytes ${start}-${end}/100000`);
    t.equal(part.headers.get('content-length'), String(end - start + 1));
    t.ok(part.bytes.equals(film.subarray(start, end + 1)));
  }
  for (const range of ['bytes=100000-', 'bytes=100000-100001', `bytes=${'9'.repeat(20)}-`, 'bytes=-0']) {
    const refused = await box.visitor().get(url.slice(box.url.length), { headers: { range } });
    t.match(refused, { status: 416, body: { code: 'range_not_satisfiable' } }, range);
    t.equal(refused.headers.get('content-range'), 'bytes */100000');
    t.equal(refused.headers.get('cache-control'), 'no-store');
    const { status } = await download(box.visitor(), url, { range, 'if-none-match': etag });
    t.equal(status, 304, 'a precondition comes first');
    t.equal((await download(box.visitor(), url, { range, 'if-range': '"another"' })).status, 200);
  }
  for (const range of ['bytes=5-2', 'bytes=-', 'bytes=0-1,5-6', 'bytes=200000-,300000-', 'lines=0-1', 'bytes=x-']) {
    const { status, bytes } = await download(box.visitor(), url, { range });
    t.strictSame([status, bytes.length], [200, 100_000], range);
  }
  const changed = await download(box.visitor(), url, { range: 'bytes=0-1', 'if-range': '"another"' });
  t.equal(changed.status, 200);
  const head = await fetch(url, { method: 'HEAD', headers: box.visitor().headers });
  t.strictSame([head.status, head.headers.get('content-length')], [200, '100000']);
});

t.test('files are read by their exact address, in their own store', async (t) => {
  const { body } = await upload(box, jpeg);
  for (const name of ['original.png', 'original.jpeg', 'original', '641.webp', '..%2F..%2Fetc', 'original.jpg%00']) {
    t.match(await box.visitor().get(`/media/${body.id}/${name}`), { status: 404, body: { code: 'not_found' } }, name);
  }
  t.match(await box.visitor().get(`/media/${unknownId}/original.jpg`), { status: 404 });
  t.match(await other.visitor().get(body.url), { status: 404, body: { code: 'not_found' } });
  t.match(await other.staff.get(`/admin/media/${body.id}`), { status: 404 });
  t.match(await other.staff.patch(`/admin/media/${body.id}`, { altText: 'Mine' }), { status: 404 });
  t.match(await other.staff.delete(`/admin/media/${body.id}`), { status: 404 });
  t.equal((await download(box.visitor(), `${box.url}${body.url}`)).status, 200);
});

t.test('a failed creation leaves no file once it has expired', async (t) => {
  await upload(box, jpeg, 'a.jpg', { externalId: 'taken' });
  const before = (await storedFiles()).length;
  t.match(await upload(box, jpeg, 'b.jpg', { externalId: 'taken' }), {
    status: 409,
    body: { code: 'external_id_taken' },
  });
  t.equal((await storedFiles()).length, before + 1);
  await deleteExpiredFiles(box.db);
  t.equal((await storedFiles()).length, before + 1, 'it could still be in use by a request');
  await box.db.query('update media_files set expires_at = now() where tenant_id = $1 and asset_id is null');
  await deleteExpiredFiles(box.db);
  t.equal((await storedFiles()).length, before);
});
