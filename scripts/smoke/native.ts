/**
 * Tests a native library from its source to a box: sharp is published in a package for each platform, the binary pulls
 * the one of this platform with media, and the box resizes a picture with it.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { callerOf } from '@carton/runtime/testing';
import sharp from 'sharp';
import { packageName } from '../../runtime/vendor.ts';

const [scope, library] = packageName(`sharp-linux-${process.arch}`).split('/') as [string, string];

interface Smoke {
  /** The folder of a box that runs. */
  home: string;
  url: string;
  check(passed: boolean, description: string): void;
}

export async function smokeNative({ home, url, check }: Smoke): Promise<void> {
  const pulled = await readdir(join(home, 'current/node_modules', scope));
  const libraries = pulled.filter((name) => name.startsWith('sharp-'));
  check(libraries.join() === library, `only sharp's package for this platform is pulled: ${libraries}`);

  const headers = await logInOwner(home, url);
  const image = await sharp({ create: { width: 640, height: 480, channels: 3, background: { r: 200, g: 30, b: 30 } } })
    .png()
    .toBuffer();
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(image)], { type: 'image/png' }), 'red.png');
  const uploaded = await fetch(`${url}/admin/media`, { method: 'POST', headers, body: form });
  const asset = (await uploaded.json()) as { id: string };
  check(uploaded.status === 201, `a picture is uploaded${uploaded.status === 201 ? '' : `: ${JSON.stringify(asset)}`}`);
  const variant = await fetch(new URL(`/media/${asset.id}/320.webp`, url));
  const bytes = Buffer.from(await variant.arrayBuffer());
  check(variant.status === 200, `a variant is made${variant.status === 200 ? '' : `: ${bytes}`}`);
  const { format, width, height } = await sharp(bytes).metadata();
  check(format === 'webp' && width === 320 && height === 240, `the variant is ${format}, ${width} × ${height}`);
}

/** Creates a store, and returns the headers of its owner's requests. */
async function logInOwner(home: string, url: string): Promise<Record<string, string>> {
  const { OPERATOR_SECRET } = parseEnv(await readFile(join(home, 'box.env'), 'utf8'));
  const email = 'owner@shop.example';
  const password = 'a password of the owner';
  const operator = callerOf(url, { authorization: `Bearer ${OPERATOR_SECRET}` });
  const visitor = callerOf(url, {});
  const { body: tenant } = await operator.post('/admin/tenants', { slug: 'shop', name: 'Store', staffEmail: email });
  await visitor.post('/admin/invites/accept', { token: tenant.invite.token, name: 'Owner', password });
  const { body: session } = await visitor.post('/admin/auth/login', { email, password });
  return { authorization: `Bearer ${session.token}` };
}
