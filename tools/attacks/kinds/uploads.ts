/**
 * Uploads: bodies are sent without a credential, and files are not what they say.
 */
import { randomBytes } from 'node:crypto';
import { bodyOf, type Caller } from '@carton/runtime/testing';
import sharp from 'sharp';
import type { Attack } from '../attack.ts';
import { sellIn } from '../sale.ts';
import type { Target } from '../target.ts';
import { sendBytes, type WireAnswer } from '../wire.ts';

/** Bytes that are announced, and never sent: a server that waits for them gives no answer. */
const announced = 15_000_000;

/** Announces a body and sends none of it. */
async function announce(
  { box }: Target,
  { headers }: Pick<Caller, 'headers'>,
  method: string,
  path: string,
  type = 'multipart/form-data; boundary=x',
): Promise<WireAnswer> {
  const own = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const lines = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${box.port}`, ...own];
  const body = [`Content-Type: ${type}`, `Content-Length: ${announced}`, 'Connection: close'];
  const [answer] = await sendBytes(box.port, [...lines, ...body, '', ''].join('\r\n'));
  if (!answer) throw new Error(`${method} ${path}: no answer`);
  return answer;
}

const picture = (size: number) =>
  sharp({ create: { width: size, height: size, channels: 3, background: 'red' } })
    .png()
    .toBuffer();

async function upload({ box }: Target, { headers }: Caller, name: string, content: Uint8Array, type: string) {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(content)], { type }), name);
  const response = await fetch(`${box.url}/admin/media`, { method: 'POST', headers, body: form });
  const body = (await response.json()) as { id: string; url: string; mediaType: string };
  return { status: response.status, body };
}

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const html = '<!doctype html><script>alert(1)</script>';

export const uploads: readonly Attack[] = [
  {
    name: 'uploads: bodies before credentials',
    tries: 'bodies of 15 MB are announced with wrong tokens, without credentials and without the right',
    async run(target, observe) {
      const store = await target.openStore();
      const { article } = await sellIn(store);
      const viewer = await target.hire(store, 'viewer');
      const content = await picture(10);
      const { url } = await bodyOf(
        store.staff.post('/admin/media/uploads', { fileName: 'a.png', size: content.length }),
      );
      const sent = await fetch(target.box.url + url, {
        method: 'PUT',
        headers: store.visitor().headers,
        body: new Uint8Array(content),
      });
      observe.works('a file with its token', sent, 204);
      const files = await upload(target, store.staff, 'a.png', content, 'image/png');
      observe.works('a file of staff', files, 201);
      const wrong = `/media/uploads/${randomBytes(24).toString('base64url')}`;
      const byToken = await announce(target, store.visitor(), 'PUT', wrong, 'image/png');
      observe.refused('a wrong token', byToken, { status: 404, code: 'not_found' });
      const open = await bodyOf(store.staff.post('/admin/media/uploads', { fileName: 'b.png', size: 1000 }));
      const longer = await announce(target, store.visitor(), 'PUT', open.url, 'image/png');
      observe.refused('more than was announced', longer, { status: 400, code: 'invalid_request' });
      for (const path of ['/admin/media', `/admin/variants/${article.variantId}/downloads`, '/admin/products']) {
        const type = path === '/admin/products' ? 'application/json' : undefined;
        const nobody = await announce(target, store.visitor(), 'POST', path, type);
        observe.refused(`${path.replace(article.variantId, ':id')} by nobody`, nobody, {
          status: 401,
          code: 'unauthenticated',
        });
        const without = await announce(target, viewer, 'POST', path, type);
        observe.refused(`${path.replace(article.variantId, ':id')} by a viewer`, without, {
          status: 403,
          code: 'forbidden',
        });
      }
      const large = await announce(target, store.staff, 'POST', '/admin/products', 'application/json');
      observe.refused('a body that is too large', large, { status: 413, code: 'body_too_large' });
    },
  },
  {
    name: 'uploads: hostile files',
    tries: 'scripts as pictures, documents that are web pages, and pictures of millions of pixels',
    async run(target, observe) {
      const store = await target.openStore();
      const put = (name: string, content: Uint8Array, type: string) => upload(target, store.staff, name, content, type);
      const good = await put('good.png', await picture(20), 'image/png');
      observe.works('a picture', good, 201);
      const unsupported = { status: 415, code: 'unsupported_file_type' };
      for (const [name, content, type] of [
        ['a.svg', svg, 'image/svg+xml'],
        ['a.png', svg, 'image/png'],
        ['a.png', html, 'image/png'],
        ['a.html', html, 'text/html'],
        ['a.js', 'alert(1)', 'text/javascript'],
        ['a.png', '', 'image/png'],
      ] as const) {
        const answer = await put(name, Buffer.from(content), type);
        observe.refused(`${name} as ${type}`, answer, unsupported);
      }
      const bomb = await picture(8000);
      const tooLarge = { status: 413, code: 'picture_too_many_pixels' };
      observe.refused('a bomb', await put('bomb.png', bomb, 'image/png'), tooLarge);
      for (const name of ['../../../../tmp/evil.png', 'a\u0000.png', '..\\..\\evil.png', `${'x'.repeat(5000)}.png`]) {
        const answer = await put(name, await picture(20), 'image/png');
        observe.works(`the name ${name.slice(0, 12)}`, answer, 201);
        const served = await fetch(target.box.url + answer.body.url, { headers: store.visitor().headers });
        observe.works('it is served', served);
        observe.is('as what it is', served.headers.get('content-type'), 'image/png');
        observe.is('by its type only', served.headers.get('x-content-type-options'), 'nosniff');
        await served.arrayBuffer();
      }
      const { id, url } = good.body;
      const name = url.split('/').at(-1) ?? '';
      for (const path of [
        `/media/${id}/../../box.env`,
        `/media/${id}/..%2f..%2fbox.env`,
        `/media/%2e%2e/${name}`,
        `/media/${id}/${name}%00`,
        `/media/${id}/%2e%2e%2f${name}`,
      ]) {
        const answer = await sendBytes(
          target.box.port,
          `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Tenant-Slug: ${store.slug}\r\nX-Hosting-Secret: ${target.box.secrets.hosting}\r\nConnection: close\r\n\r\n`,
        );
        observe.refused(path.replace(id, ':id'), answer[0] ?? { status: 0 }, { status: 404, code: 'not_found' });
      }
      const other = await target.openStore();
      const elsewhere = await fetch(target.box.url + url, { headers: other.visitor().headers });
      observe.refused(
        'in another store',
        { status: elsewhere.status, body: await elsewhere.json() },
        { status: 404, code: 'not_found' },
      );
    },
  },
];
