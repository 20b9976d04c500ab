/**
 * Media: the native part of sharp, libheif for HEIC, and the detection of types.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { packageName } from '../../runtime/vendor.ts';
import { repository } from '../../tools/packages/sources.ts';
import { boxFolder } from '../../tools/shipped-stack/settings.ts';
import { subject } from '../subject.ts';

interface Asset {
  id: string;
  mediaType: string;
  variants: { url: string; width: number; height: number; mediaType: string }[];
}

const pdf = '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n';

subject('media', async (t, { settings, url, openTenant }) => {
  const store = await openTenant();
  const upload = async (name: string, type: string, bytes: Uint8Array<ArrayBuffer>) => {
    const form = new FormData();
    form.append('file', new Blob([bytes], { type }), name);
    const response = await fetch(`${url}/admin/media`, { method: 'POST', headers: store.staff.headers, body: form });
    return { status: response.status, body: (await response.json()) as Asset };
  };

  await t.test('only the native part of this platform is installed', async (t) => {
    const [scope = '', library] = packageName(`sharp-linux-${process.arch}`).split('/');
    const installed = await readdir(join(boxFolder(settings), 'current/node_modules', scope));
    t.strictSame(
      installed.filter((name) => name.startsWith('sharp-')),
      [library],
    );
  });

  const drawn = sharp({ create: { width: 640, height: 480, channels: 3, background: { r: 200, g: 30, b: 30 } } });
  for (const format of ['png', 'jpeg', 'webp', 'gif', 'avif'] as const) {
    await t.test(`a picture in ${format} is uploaded, and resized`, async (t) => {
      const bytes = new Uint8Array(await drawn.clone().toFormat(format).toBuffer());
      const { status, body } = await upload(`red.${format}`, `image/${format}`, bytes);
      t.equal(status, 201, 'uploaded');
      t.strictSame([...new Set(body.variants.map(({ mediaType }) => mediaType))].sort(), ['image/avif', 'image/webp']);
      for (const { url: path, width, height } of body.variants) {
        const response = await fetch(url + path, { headers: store.visitor().headers });
        const made = Buffer.from(await response.arrayBuffer());
        t.equal(response.status, 200, path.replace(body.id, ':id'));
        if (response.status !== 200) continue;
        const found = await sharp(made).metadata();
        t.strictSame([found.width, found.height], [width, height], 'its size');
      }
    });
  }

  for (const [name, mediaType] of [
    ['phone', 'image/jpeg'],
    ['clear', 'image/webp'],
  ] as const) {
    await t.test(`a picture in HEIC is stored as ${mediaType}`, async (t) => {
      const bytes = new Uint8Array(await readFile(join(repository, `vendor/media/test/heic/${name}.heic`)));
      const { status, body } = await upload('IMG_0001.HEIC', 'image/heic', bytes);
      t.match({ status, body }, { status: 201, body: { mediaType } });
      const response = await fetch(`${url}${body.variants.at(-1)?.url}`, { headers: store.visitor().headers });
      t.match(await sharp(Buffer.from(await response.arrayBuffer())).metadata(), { width: 320, height: 240 });
    });
  }

  await t.test('libheif is installed beside the bundle, unchanged and with its licence', async (t) => {
    const folder = join(boxFolder(settings), 'current/node_modules', packageName('libheif-js-any'));
    t.match(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')), { license: 'LGPL-3.0' });
    t.match(await readFile(join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8'), 'GNU LESSER GENERAL PUBLIC LICENSE');
    const module = 'libheif-wasm/libheif-bundle.js';
    const [shipped, original] = await Promise.all([
      readFile(join(folder, 'lib/node_modules/libheif-js', module)),
      readFile(join(repository, 'node_modules/libheif-js', module)),
    ]);
    t.ok(shipped.equals(original));
  });

  await t.test('the type of a file is found in its bytes', async (t) => {
    t.match(await upload('a.pdf', 'application/pdf', Buffer.from(pdf)), {
      status: 201,
      body: { mediaType: 'application/pdf' },
    });
    const video = Buffer.concat([
      Buffer.from([0, 0, 0, 24]),
      Buffer.from('ftypmp42\0\0\0\0mp42isom'),
      Buffer.alloc(64),
    ]);
    t.match(await upload('a.mp4', 'video/mp4', video), { status: 201, body: { mediaType: 'video/mp4' } });
    t.equal((await upload('a.png', 'image/png', Buffer.from('text'))).status, 415, 'text with the name of a picture');
  });
});
