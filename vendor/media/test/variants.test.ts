/**
 * Sized variants: which there are, how they look, and that each is made once.
 */
import { createTestBox, raceRounds } from '@carton/runtime/testing';
import sharp from 'sharp';
import t from 'tap';
import { deleteExpiredFiles } from '../jobs.ts';
import { download, packages, picture, upload, video } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const other = await box.openTenant();

interface Variant {
  width: number;
  height: number;
  mediaType: string;
  url: string;
}
const namesOf = ({ body }: { body: { id: string; variants: Variant[] } }) =>
  body.variants.map(({ url, width, height }) => `${url.replace(`/media/${body.id}/`, '')} ${width}x${height}`);
const filesOf = (assetId: string) =>
  box.db.query('select variant from media_files where tenant_id = $1 and asset_id = $2 order by variant', [assetId]);

t.test('a picture has the variants that are not wider than itself', async (t) => {
  const created = await upload(box, await picture(700, 350).jpeg().toBuffer());
  t.strictSame(namesOf(created), [
    '160.webp 160x80',
    '160.avif 160x80',
    '320.webp 320x160',
    '320.avif 320x160',
    '640.webp 640x320',
    '640.avif 640x320',
  ]);
  for (const { url, mediaType, width, height } of created.body.variants) {
    const { status, headers, bytes } = await download(box.visitor(), `${box.url}${url}`);
    t.equal(status, 200);
    t.equal(headers.get('content-type'), mediaType);
    t.match(headers.get('cache-control'), /immutable/);
    t.match(headers.get('content-security-policy'), /sandbox$/);
    const format = mediaType === 'image/avif' ? 'heif' : 'webp';
    t.match(await sharp(bytes).metadata(), { format, width, height });
    t.ok(bytes.length < created.body.size * 2);
  }
  t.strictSame(namesOf(await upload(box, await picture(159, 4).png().toBuffer())), []);
  t.strictSame((await upload(box, video())).body.variants, []);
});

t.test('only these sizes and types are made', async (t) => {
  const { body } = await upload(box, await picture(700, 350).jpeg().toBuffer());
  for (const name of ['641.webp', '960.webp', '640.jpg', '640.png', '0640.webp', '99.avif', '640.webp.avif']) {
    t.match(await box.visitor().get(`/media/${body.id}/${name}`), { status: 404 }, name);
  }
  t.match(await other.visitor().get(body.variants[0].url), { status: 404 });
  t.strictSame(await filesOf(body.id), [{ variant: 'original' }]);
});

t.test('a variant is made once, also by concurrent requests, and then read', async (t) => {
  const { body } = await upload(box, await picture(1300, 900).jpeg().toBuffer());
  const url = `${box.url}${body.variants[0].url}`;
  const answers = await Promise.all(Array.from({ length: 8 }, () => download(box.visitor(), url)));
  t.strictSame([...new Set(answers.map(({ status }) => status))], [200]);
  t.equal(new Set(answers.map(({ headers }) => headers.get('etag'))).size, 1);
  t.strictSame(await filesOf(body.id), [{ variant: '160.webp' }, { variant: 'original' }]);
  t.strictSame(await box.db.query('select id from media_files where tenant_id = $1 and asset_id is null'), []);
  const etag = answers[0]?.headers.get('etag') as string;
  t.equal((await download(box.visitor(), url, { 'if-none-match': etag })).status, 304);
});

t.test('a picture that is too long for WebP and AVIF has another type', async (t) => {
  const long = await upload(box, await picture(400, 18_000).jpeg().toBuffer());
  t.strictSame(namesOf(long), ['160.webp 160x7200', '160.avif 160x7200', '320.webp 320x14400', '320.avif 320x14400']);
  const longer = await upload(box, await picture(320, 16_400).jpeg().toBuffer());
  t.strictSame(namesOf(longer), ['160.webp 160x8200', '160.avif 160x8200', '320.jpg 320x16400']);
  const { bytes } = await download(box.visitor(), `${box.url}/media/${longer.body.id}/320.jpg`);
  t.match(await sharp(bytes).metadata(), { format: 'jpeg', width: 320, height: 16_400 });
  const clear = await picture(320, 16_400).ensureAlpha(0.5).png().toBuffer();
  const transparent = await upload(box, clear);
  t.equal(namesOf(transparent).at(-1), '320.png 320x16400');
  const png = await download(box.visitor(), `${box.url}/media/${transparent.body.id}/320.png`);
  t.match(await sharp(png.bytes).metadata(), { format: 'png', width: 320, height: 16_400, hasAlpha: true });
});

t.test('an animation stays one in WebP', async (t) => {
  const frames = Buffer.alloc(200 * 200 * 3 * 3);
  for (let at = 0; at < 3; at++) frames.fill(at * 90, at * 120_000, (at + 1) * 120_000);
  const raw = { width: 200, height: 600, channels: 3, pageHeight: 200 } as const;
  const created = await upload(box, await sharp(frames, { raw }).gif().toBuffer());
  t.strictSame(namesOf(created), ['160.webp 160x160']);
  const { bytes } = await download(box.visitor(), `${box.url}${created.body.variants[0].url}`);
  t.match(await sharp(bytes, { animated: true }).metadata(), { format: 'webp', width: 160, pages: 3, pageHeight: 160 });
});

t.test('a variant that is requested while its picture is deleted leaves no file', async (t) => {
  const content = await picture(200, 100).png().toBuffer();
  for (let round = 0; round < Math.min(raceRounds, 20); round++) {
    const { body } = await upload(box, content);
    const [variant, removal] = await Promise.all([
      download(box.visitor(), `${box.url}${body.variants[0].url}`),
      new Promise((resolve) => setTimeout(resolve, round * 2)).then(() => box.staff.delete(`/admin/media/${body.id}`)),
    ]);
    t.equal(removal.status, 204);
    t.ok(variant.status === 200 || variant.status === 404, `${variant.status}`);
    t.strictSame(await filesOf(body.id), []);
  }
  await box.db.query('update media_files set expires_at = now() where tenant_id = $1 and asset_id is null');
  await deleteExpiredFiles(box.db);
  t.strictSame(await box.db.query('select id from media_files where tenant_id = $1 and asset_id is null'), []);
});
