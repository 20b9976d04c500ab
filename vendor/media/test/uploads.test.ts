/**
 * Direct uploads, to the box and to an S3-compatible service: the same steps and the same rules.
 */
import { randomBytes } from 'node:crypto';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { wakeBackground } from '@carton/runtime';
import {
  createTestBox,
  freePort,
  s3Account,
  startS3Service,
  type TestBox,
  temporaryFolder,
  until,
} from '@carton/runtime/testing';
import t from 'tap';
import { deleteExpiredFiles } from '../jobs.ts';
import { document, download, packages, picture, unknownId, upload, video } from './helpers.ts';

const s3Folder = await temporaryFolder('media-s3-');
const bucket = 'media-of-the-box';
const s3 = await startS3Service(s3Folder, bucket);
t.teardown(() => s3.kill());
const limits = { MEDIA_FILE_MEGABYTES: '3', MEDIA_QUOTA_MEGABYTES: '8' };
const dataFolder = await temporaryFolder('media-uploads-');
const local = await createTestBox(t, { packages, tier: 'basic', dataFolder, environment: limits });
const remote = await createTestBox(t, {
  packages,
  tier: 'basic',
  environment: {
    ...limits,
    MEDIA_STORAGE: 's3',
    MEDIA_S3_BUCKET: bucket,
    MEDIA_S3_ENDPOINT: `http://127.0.0.1:${s3.port}`,
    MEDIA_S3_ACCESS_KEY_ID: s3Account.accessKeyId,
    MEDIA_S3_SECRET_ACCESS_KEY: s3Account.secretAccessKey,
  },
});
const jpeg = await picture(800, 400).jpeg().toBuffer();

async function countFiles(box: TestBox): Promise<number> {
  const folder = box === local ? join(dataFolder, 'media') : join(s3Folder, bucket);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && !/_metadata\.json$|\.md5$/.test(entry.name)).length;
}

const ask = (box: TestBox, content: Uint8Array, more = {}) =>
  box.staff.post('/admin/media/uploads', { fileName: 'direct.jpg', size: content.length, ...more });

/** Sends a file to the address of an upload, without any credential but those in the address. */
function send(box: TestBox, { url, method }: { url: string; method: string }, content: Uint8Array): Promise<Response> {
  const isLocal = url.startsWith('/');
  return fetch(new URL(url, box.url), {
    method,
    body: new Uint8Array(content),
    headers: isLocal ? box.visitor().headers : {},
  });
}

const complete = (box: TestBox, { id }: { id: string }) => box.staff.post(`/admin/media/uploads/${id}/complete`);

t.test('nothing is received without an open upload of this size', async (t) => {
  const { body: open } = await ask(local, jpeg);
  const put = async (url: string, body: RequestInit['body']) => {
    const options = { method: 'PUT', body, headers: local.visitor().headers, duplex: 'half' };
    const response = await fetch(local.url + url, options as RequestInit);
    return { status: response.status, body: await response.json() };
  };
  const unknown = `/media/uploads/${randomBytes(24).toString('base64url')}`;
  t.match(await put(unknown, Buffer.alloc(2 ** 21)), { status: 404 });
  let sent = 0;
  const endless = new ReadableStream({
    pull(controller) {
      sent += 2 ** 16;
      if (sent > 2 ** 23) return controller.close();
      controller.enqueue(new Uint8Array(2 ** 16));
    },
  });
  t.match(await put(unknown, endless), { status: 404 }, 'also if its size is not announced');
  const longer = { status: 400, body: { code: 'invalid_request', detail: /^The file has 2097152 bytes; / } };
  t.match(await put(open.url, Buffer.alloc(2 ** 21)), longer);
  t.ok((await send(local, open, jpeg)).ok);
  await local.db.query('update media_files set expires_at = now() where tenant_id = $1');
  await deleteExpiredFiles(local.db);
});

t.test('a file for which the store has no room is refused before it is received', async (t) => {
  const tenant = await local.openTenant();
  const first = await upload({ ...tenant, url: local.url }, document);
  t.equal(first.status, 201, 'from then on the space of the store is counted');
  await local.operator.patch(`/admin/tenants/${tenant.id}`, { quotas: { mediaMegabytes: 1 } });
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(2 ** 21)]), 'large.bin');
  const response = await fetch(`${local.url}/admin/media`, {
    method: 'POST',
    body: form,
    headers: tenant.staff.headers,
  });
  t.equal(response.status, 409);
  t.match(await response.json(), { code: 'quota_exceeded', quota: 'mediaMegabytes', limit: 1 });
  await tenant.staff.delete(`/admin/media/${first.body.id}`);
  await deleteExpiredFiles(tenant.db);
});

for (const [name, box] of [
  ['files', local],
  ['S3', remote],
] as const) {
  t.test(`${name}: a file that is sent directly becomes an asset`, async (t) => {
    const asked = await ask(box, jpeg, { altText: 'Direct', externalId: `erp-${name}` });
    t.match(asked, { status: 201, body: { method: 'PUT', size: jpeg.length } });
    t.equal(asked.body.url.startsWith('/media/uploads/'), box === local);
    t.match(await complete(box, asked.body), { status: 409, body: { code: 'media_upload_incomplete' } });
    t.ok((await send(box, asked.body, jpeg)).ok);
    const completed = await complete(box, asked.body);
    t.match(completed, {
      status: 201,
      body: { kind: 'picture', fileName: 'direct.jpg', altText: 'Direct', externalId: `erp-${name}`, width: 800 },
    });
    t.equal(completed.headers.get('location'), `/admin/media/${completed.body.id}`);
    t.strictSame((await complete(box, asked.body)).body, completed.body, 'completing it again changes nothing');
    const { bytes } = await download(box.visitor(), `${box.url}${completed.body.url}`);
    t.equal(bytes.length, completed.body.size);
    await deleteExpiredFiles(box.db);
    t.equal(await countFiles(box), 1, 'the uploaded file is deleted, the cleaned one is stored');
    t.match(await box.staff.delete(`/admin/media/${completed.body.id}`), { status: 204 });
    await deleteExpiredFiles(box.db);
    t.equal(await countFiles(box), 0);
    t.match(await complete(box, asked.body), { status: 404 });
  });

  t.test(`${name}: hostile files are refused when the upload is completed`, async (t) => {
    const script = Buffer.from('<svg><script>alert(1)</script></svg>');
    const asked = await ask(box, script);
    t.ok((await send(box, asked.body, script)).ok);
    t.match(await complete(box, asked.body), { status: 415, body: { code: 'unsupported_file_type' } });
    t.strictSame((await box.staff.get('/admin/media')).body.items, []);
  });

  t.test(`${name}: a file of another size than announced is refused`, async (t) => {
    const asked = await ask(box, jpeg);
    const longer = Buffer.concat([jpeg, Buffer.from('x')]);
    const response = await send(box, asked.body, longer);
    if (response.ok) t.match(await complete(box, asked.body), { status: 409 });
    else t.ok(response.status === 400 || response.status === 403, `${response.status}`);
    t.match(await ask(box, Buffer.alloc(0)), { status: 400 });
    t.match(await ask(box, Buffer.alloc(3 * 1024 * 1024 + 1)), { status: 413, body: { code: 'body_too_large' } });
  });

  t.test(`${name}: uploads that are never completed are deleted, with their files`, async (t) => {
    const asked = await ask(box, jpeg);
    t.ok((await send(box, asked.body, jpeg)).ok);
    await deleteExpiredFiles(box.db);
    t.ok((await countFiles(box)) >= 1, 'not before they expire');
    await box.db.query('update media_files set expires_at = now() where tenant_id = $1 and asset_id is null');
    await box.db.query("update media_uploads set expires_at = now() - interval '1 week' where tenant_id = $1");
    await deleteExpiredFiles(box.db);
    t.equal(await countFiles(box), 0);
    t.strictSame(await box.db.query('select id from media_uploads where tenant_id = $1'), []);
    t.match(await complete(box, asked.body), { status: 404 });
  });

  t.test(`${name}: files and variants are stored and read, also in part`, async (t) => {
    const film = video(300_000);
    const created = await upload(box, film, 'film.mp4');
    const url = `${box.url}${created.body.url}`;
    t.ok((await download(box.visitor(), url)).bytes.equals(film));
    const part = await download(box.visitor(), url, { range: 'bytes=1000-1999' });
    t.equal(part.status, 206);
    t.ok(part.bytes.equals(film.subarray(1000, 2000)));
    const { body } = await upload(box, jpeg);
    t.equal((await download(box.visitor(), `${box.url}${body.variants[0].url}`)).status, 200);
    t.equal(await countFiles(box), 3);
    for (const { id } of [created.body, body]) await box.staff.delete(`/admin/media/${id}`);
    await deleteExpiredFiles(box.db);
    t.equal(await countFiles(box), 0);
  });

  t.test(`${name}: the files of a store, with those being uploaded, have a limit`, async (t) => {
    const two = Buffer.concat([document, randomBytes(2 * 1024 * 1024)]);
    const announced = await Promise.all(Array.from({ length: 6 }, () => ask(box, two)));
    const statuses = announced.map(({ status }) => status).sort();
    t.strictSame(statuses, [201, 201, 201, 409, 409, 409]);
    const refused = await upload(box, two);
    t.match(refused, { status: 409, body: { code: 'quota_exceeded', quota: 'mediaMegabytes', limit: 8 } });
    t.match(refused.body.detail, /has 6\.\d+ MiB of media, and its limit is 8: there is no room for 2\.01 more/);
    const [first] = announced.filter(({ status }) => status === 201);
    t.ok((await send(box, first?.body, two)).ok);
    t.match(await complete(box, first?.body), { status: 201 }, 'it replaces what was announced');
    t.match(await upload(box, jpeg), { status: 201 }, 'a smaller file fits');
    t.match(await upload(await otherOf(box), two), { status: 201 }, 'each store has its own limit');
  });
}

t.test(
  'S3: the removal of a tenant deletes its files, more than a page of them, and nothing of another tenant',
  async (t) => {
    const leaving = await otherOf(remote);
    const kept = await otherOf(remote);
    for (const tenant of [leaving, kept]) t.equal((await upload(tenant, jpeg)).status, 201);
    // Copies of the stored object, as the service stores it: uploading a thousand takes long.
    const folder = join(s3Folder, bucket, leaving.id);
    const names = await readdir(folder);
    for (let copy = 0; copy < 1010; copy++) {
      for (const name of names) await cp(join(folder, name), join(folder, `copy-${copy}-${name}`));
    }
    const before = await countFiles(remote);
    t.equal((await remote.operator.delete(`/admin/tenants/${leaving.id}`)).status, 200);
    await remote.owner.query("update tenants set deletion_at = now() - interval '1 second' where id = $1", [
      leaving.id,
    ]);
    // The job does it, as in a box that runs.
    await remote.owner.query('update background_tasks set due_at = now() where tenant_id = $1', [leaving.id]);
    wakeBackground(leaving.db);
    const left = () => remote.owner.query('select from tenants where id = $1', [leaving.id]);
    await until(left, (tenants) => tenants.length === 0);
    t.equal(await countFiles(remote), before - 1011);
    t.strictSame((await upload(kept, jpeg)).status, 201);
    t.notOk((await readdir(join(s3Folder, bucket))).includes(leaving.id));
    t.ok((await readdir(join(s3Folder, bucket))).includes(kept.id));
  },
);

async function otherOf(box: TestBox) {
  return { ...(await box.openTenant()), url: box.url };
}

t.test('an address of the box is secret, and of one store', async (t) => {
  const other = await local.openTenant();
  const asked = await ask(local, jpeg);
  const put = (url: string, headers: Record<string, string>) =>
    fetch(`${local.url}${url}`, { method: 'PUT', body: new Uint8Array(jpeg), headers });
  t.equal((await put(asked.body.url, other.visitor().headers)).status, 404);
  t.equal((await put(`/media/uploads/${asked.body.id}`, local.visitor().headers)).status, 404);
  t.match(await other.staff.post(`/admin/media/uploads/${asked.body.id}/complete`), { status: 404 });
  t.match(await local.staff.post(`/admin/media/uploads/${unknownId}/complete`), { status: 404 });
  t.equal((await put(asked.body.url, local.visitor().headers)).status, 204);
  await local.db.query('update media_uploads set expires_at = now() where tenant_id = $1 and id = $2', [asked.body.id]);
  t.equal((await put(asked.body.url, local.visitor().headers)).status, 404, 'it has expired');
});

t.test('an upload that takes longer than the database work of a request may is stored', async (t) => {
  const slow = await createTestBox(t, { packages, tier: 'basic', requestDeadline: 3000 });
  const asked = await ask(slow, jpeg);
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(new Uint8Array(jpeg.subarray(0, 1000)));
      await sleep(3500);
      controller.enqueue(new Uint8Array(jpeg.subarray(1000)));
      controller.close();
    },
  });
  const { headers } = slow.visitor();
  const sent = await fetch(`${slow.url}${asked.body.url}`, {
    method: 'PUT',
    body,
    headers,
    duplex: 'half',
  } as RequestInit);
  t.equal(sent.status, 204);
});

t.test('a storage that is away is 503, and nothing is created', async (t) => {
  const away = await createTestBox(t, {
    packages,
    tier: 'basic',
    environment: {
      MEDIA_STORAGE: 's3',
      MEDIA_S3_BUCKET: bucket,
      MEDIA_S3_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
      MEDIA_S3_ACCESS_KEY_ID: 'x',
      MEDIA_S3_SECRET_ACCESS_KEY: 'x',
    },
  });
  const answer = await upload(away, jpeg);
  t.match(answer, { status: 503, body: { code: 'unavailable' } });
  t.ok(answer.headers.get('retry-after'));
  t.strictSame((await away.staff.get('/admin/media')).body.items, []);
});

t.test('a box with S3 needs its settings', async (t) => {
  await t.rejects(createTestBox(t, { packages, environment: { MEDIA_STORAGE: 's3' } }), /MEDIA_S3_BUCKET/);
});
