/**
 * Tests a package with a native library from its source to a box: it is built, published, pulled by the binary for this
 * platform, and one of its routes resizes an image with sharp.
 */
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { freePort, temporaryFolder } from '@carton/runtime/testing';
import sharp from 'sharp';
import type { PublishRelease } from '../../control-plane/releases/schemas.ts';
import { packageName, vendor } from '../../runtime/vendor.ts';
import { buildPackages, publishPackages, publishRelease, releasedPackages } from '../../tools/packages/index.ts';
import { type RunningStack, root } from '../test/support/stack.ts';

interface Smoke {
  /** The folder of the binary, which is empty otherwise. */
  folder: string;
  carton(...parameters: string[]): Promise<{ code: number; output: string }>;
  check(passed: boolean, description: string): void;
  cleaning: { teardown(task: () => Promise<void>): void };
  stack: RunningStack;
}

const own = packageName('thumbnails');
const library = packageName(`sharp-linux-${process.arch}`);

const manifest = {
  name: own,
  version: '0.1.0',
  type: 'module',
  license: 'SEE LICENSE IN LICENSE',
  exports: {
    '.': { 'workspace-source': './index.ts', default: './dist/index.js' },
    './package.json': './package.json',
  },
  dependencies: { '@carton/runtime': `^${vendor.version}`, sharp: '*' },
  carton: { tier: 'basic', native: ['sharp'] },
};

const index = `import { definePackage, object, route, Type } from '@carton/runtime';
import sharp from 'sharp';

const makeThumbnail = route(
  {
    method: 'post', path: '/thumbnails', operationId: 'makeThumbnail', tag: 'Thumbnails', summary: 'Make an image small',
    access: 'public', body: object({ width: Type.Integer({ minimum: 1, maximum: 1000 }) }),
    upload: { files: { image: { size: 5_000_000, mediaTypes: ['image/png'] } } },
    status: 200, mediaType: 'image/webp', streamed: true,
  },
  async function* ({ body, files: { image: [image] } }) {
    yield await sharp(image?.path).resize(body.width).webp().toBuffer();
  },
);

export default definePackage({ routes: [makeThumbnail] });
`;

export async function smokeNative({ folder, carton, check, cleaning, stack }: Smoke): Promise<void> {
  const workFolder = await temporaryFolder('smoke-native-');
  cleaning.teardown(() => rm(workFolder, { recursive: true, force: true }));
  const before = await activate(stack);
  await releaseWithThumbnails(workFolder, stack);
  const response = await fetch(`${stack.registryUrl}/${library}`, {
    headers: { authorization: `Bearer ${before.token}` },
  });
  check(response.status === 403, `a licence without ${own} cannot download ${library}`);

  await writeFile(join(folder, 'key'), before.key, { mode: 0o600 });
  const port = await freePort();
  const box = ['--dir', join(folder, 'box-with-sharp')];
  const address = ['--control-plane', stack.controlPlaneUrl, '--port', String(port)];
  const installed = await carton('install', ...box, '--key-file', join(folder, 'key'), ...address);
  check(
    installed.code === 0,
    `a package with sharp is installed${installed.code === 0 ? '' : `: ${installed.output}`}`,
  );
  const home = join(folder, 'box-with-sharp');
  const pulled = await readdir(join(home, 'current/node_modules', packageName('x').split('/')[0] as string));
  const libraries = pulled.filter((name) => name.startsWith('sharp-'));
  check(libraries.join() === library.split('/')[1], `only sharp's package for this platform is pulled: ${libraries}`);

  const url = `http://127.0.0.1:${port}`;
  const { OPERATOR_SECRET } = parseEnv(await readFile(join(home, 'box.env'), 'utf8'));
  await fetch(`${url}/admin/tenants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify({ slug: 'shop', name: 'Store', staffEmail: 'owner@shop.example' }),
  });
  const background = { r: 200, g: 30, b: 30 };
  const image = await sharp({ create: { width: 640, height: 480, channels: 3, background } })
    .png()
    .toBuffer();
  const form = new FormData();
  form.append('width', '64');
  form.append('image', new Blob([new Uint8Array(image)], { type: 'image/png' }), 'red.png');
  const thumbnail = await fetch(`${url}/thumbnails`, { method: 'POST', body: form });
  const bytes = Buffer.from(await thumbnail.arrayBuffer());
  check(thumbnail.status === 200, `the image is accepted${thumbnail.status === 200 ? '' : `: ${bytes}`}`);
  const { format, width, height } = await sharp(bytes).metadata();
  check(format === 'webp' && width === 64 && height === 48, `the thumbnail is ${format}, ${width} × ${height}`);
  check((await carton('stop', ...box)).code === 0, 'the box with sharp stops');
}

/** Mints a basic licence and activates it. */
async function activate({ admin, controlPlane }: RunningStack): Promise<{ key: string; token: string }> {
  const minted = await admin.post('/license/keys', { customerId: 'customer-with-thumbnails', tier: 'basic' });
  const { key } = minted.body;
  return { key, token: (await controlPlane.post('/license/activate', { key })).body.token };
}

/** Publishes the package to the stack's registry, and a release with it, so that basic licences include it. */
async function releaseWithThumbnails(workFolder: string, stack: RunningStack): Promise<void> {
  const { publishSecret } = JSON.parse(await readFile(join(stack.home, 'secrets.json'), 'utf8'));
  const root = await makeCheckout(workFolder);
  const packages = await buildPackages({ root, out: join(workFolder, 'packages'), only: [own] });
  await publishPackages({ registryUrl: stack.registryUrl, publishSecret, packages });
  const { body: current } = (await stack.controlPlane.get('/releases/stable')) as { body: PublishRelease };
  await publishRelease(stack.controlPlaneUrl, publishSecret, {
    version: '0.0.1-thumbnails',
    channel: 'stable',
    packages: [...current.packages, ...releasedPackages(packages)],
  });
}

/** Creates a checkout with only this package, and links to the engine and the libraries of this checkout. */
async function makeCheckout(workFolder: string): Promise<string> {
  const folder = join(workFolder, 'checkout');
  const source = join(folder, 'vendor', 'thumbnails');
  await mkdir(source, { recursive: true });
  await writeFile(join(source, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(source, 'index.ts'), index);
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', 'LICENSE', 'runtime', 'node_modules']) {
    await symlink(join(root, name), join(folder, name));
  }
  return folder;
}
