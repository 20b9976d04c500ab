/**
 * A package with a native library, from its source to a box: built, published, pulled by the binary for this platform
 * alone, and loaded: a route of it resizes an image with sharp.
 */
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { freePort, temporaryFolder } from '@carton/runtime/testing';
import sharp from 'sharp';
import { platformPackages } from '../../control-plane/catalogue/entitlements.ts';
import { startRegistry } from '../../control-plane/registry/index.ts';
import { makeKey, signToken } from '../../control-plane/registry/test/stand.ts';
import { packageName, vendor } from '../../runtime/vendor.ts';
import { buildPackages, publishPackages } from '../../tools/packages/index.ts';
import { type RunningStack, root } from '../test/support/stack.ts';

interface Smoke {
  /** Where the binary stands alone. */
  folder: string;
  carton(...parameters: string[]): Promise<{ code: number; output: string }>;
  check(right: boolean, what: string): void;
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
  dependencies: { '@carton/runtime': vendor.version, sharp: '*' },
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
  const place = await temporaryFolder('smoke-native-');
  cleaning.teardown(() => rm(place, { recursive: true, force: true }));
  const packages = ['core', 'auth', 'tenant'].map(packageName);
  const vendor = await startVendor(place, stack, cleaning);
  await publishPackages({
    registryUrl: vendor.registry.localUrl,
    publishSecret,
    packages: await buildPackages({ root: await checkout(place), out: join(place, 'packages'), only: [own] }),
  });
  const without = await vendor.token(packages);
  const answer = await fetch(`${vendor.registry.url}/${library}`, { headers: { authorization: `Bearer ${without}` } });
  check(answer.status === 403, `a licence without ${own} does not get ${library}`);

  vendor.licence = [...packages, own, ...platformPackages];
  await writeFile(join(folder, 'key'), 'any key', { mode: 0o600 });
  const port = await freePort();
  const box = ['--dir', join(folder, 'box-with-sharp')];
  const address = ['--control-plane', vendor.url, '--port', String(port)];
  const installed = await carton('install', ...box, '--key-file', join(folder, 'key'), ...address);
  check(
    installed.code === 0,
    `a package with sharp is installed${installed.code === 0 ? '' : `: ${installed.output}`}`,
  );
  const home = join(folder, 'box-with-sharp');
  const pulled = await readdir(join(home, 'current/node_modules', packageName('x').split('/')[0] as string));
  const libraries = pulled.filter((name) => name.startsWith('sharp-'));
  check(libraries.join() === library.split('/')[1], `of sharp, this platform's package alone is there: ${libraries}`);

  const url = `http://127.0.0.1:${port}`;
  const { OPERATOR_SECRET } = parseEnv(await readFile(join(home, 'box.env'), 'utf8'));
  await fetch(`${url}/admin/tenants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify({ slug: 'shop', name: 'Shop', staffEmail: 'owner@shop.example' }),
  });
  const background = { r: 200, g: 30, b: 30 };
  const image = await sharp({ create: { width: 640, height: 480, channels: 3, background } })
    .png()
    .toBuffer();
  const form = new FormData();
  form.append('width', '64');
  form.append('image', new Blob([new Uint8Array(image)], { type: 'image/png' }), 'red.png');
  const made = await fetch(`${url}/thumbnails`, { method: 'POST', body: form });
  const bytes = Buffer.from(await made.arrayBuffer());
  check(made.status === 200, `the image is taken${made.status === 200 ? '' : `: ${bytes}`}`);
  const { format, width, height } = await sharp(bytes).metadata();
  check(format === 'webp' && width === 64 && height === 48, `it comes back as ${format}, ${width} × ${height}`);
  check((await carton('stop', ...box)).code === 0, 'the box with sharp stops');
}

const publishSecret = 'publish-secret-of-the-smoke-test';

/** A registry with what the stack's has published, and a control plane that gives one licence. */
async function startVendor(place: string, stack: RunningStack, cleaning: Smoke['cleaning']) {
  const storage = join(place, 'registry');
  await cp(join(stack.home, 'registry', 'packages'), join(storage, 'packages'), { recursive: true });
  const key = makeKey();
  const jwk = { ...key.publicKey.export({ format: 'jwk' }), kid: key.kid };
  const server = createServer(async (request, response) => {
    const answer = async () => {
      if (request.url === '/.well-known/jwks.json') return { keys: [jwk] };
      if (request.url !== '/license/activate') return { accepted: true };
      const { licence: packages } = vendor;
      const token = await vendor.token(packages);
      const about = { tier: 'basic', customerId: 'customer-1', expiresIn: 600, registryUrl: vendor.registry.url };
      return { ...about, token, packages };
    };
    request.resume();
    response.setHeader('content-type', 'application/json').end(JSON.stringify(await answer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const registry = await startRegistry({
    port: 0,
    host: '127.0.0.1',
    storage,
    controlPlaneUrl: url,
    registrySecret: 'registry-secret-of-the-smoke-test',
    publishSecret,
    log: () => {},
  });
  cleaning.teardown(async () => {
    await registry.stop();
    server.closeAllConnections();
    server.close();
  });
  const vendor = {
    url,
    registry,
    licence: [] as string[],
    token: (packages: string[]) => signToken(key, registry.url, { packages }),
  };
  return vendor;
}

/** A checkout with the one package in it, beside the engine and the libraries of this one. */
async function checkout(place: string): Promise<string> {
  const folder = join(place, 'checkout');
  const source = join(folder, 'vendor', 'thumbnails');
  await mkdir(source, { recursive: true });
  await writeFile(join(source, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(source, 'index.ts'), index);
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', 'LICENSE', 'runtime', 'node_modules']) {
    await symlink(join(root, name), join(folder, name));
  }
  return folder;
}
