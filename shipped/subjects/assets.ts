/**
 * Files that the explorers and the website hosting layer serve: each that a page names is there.
 */
import { callerOf } from '@carton/runtime/testing';
import type { Test } from 'tap';
import { localUrl } from '../../tools/shipped-stack/settings.ts';
import { subject } from '../subject.ts';

/** Addresses of styles, scripts, pictures and pages in a page. */
function addressesIn(page: string): string[] {
  const found = [...page.matchAll(/(?:href|src)="([^"#]+)"/g), ...page.matchAll(/url: ?["']([^"']+)["']/g)];
  return [...new Set(found.map(([, address = '']) => address))];
}

async function checkPage(t: Test, url: string): Promise<void> {
  const response = await fetch(url);
  t.equal(response.status, 200, 'the page');
  const addresses = addressesIn(await response.text()).map((address) => new URL(address, url));
  const own = addresses.filter(({ origin }) => origin === new URL(url).origin);
  t.strictSame(addresses.length, own.length, 'nothing is from elsewhere');
  t.ok(own.filter(({ pathname }) => /\.(css|js|svg|png)$/.test(pathname)).length >= 5, `${own.length} files`);
  for (const address of own) {
    const file = await fetch(address);
    const bytes = await file.arrayBuffer();
    t.strictSame([file.status, bytes.byteLength > 0], [200, true], address.pathname);
  }
}

subject('assets', async (t, { url, settings }) => {
  await t.test('the explorer of the box', (t) => checkPage(t, `${url}/docs`));
  await t.test('the explorer of the control plane', (t) =>
    checkPage(t, `${localUrl(settings.ports.controlPlane)}/docs`),
  );

  await t.test('the pages of the website hosting layer', async (t) => {
    const hosting = callerOf(localUrl(settings.ports.hosting), {
      authorization: `Bearer ${settings.secrets.proxy}`,
      'hosting-host': 'nobody.example',
    });
    t.match(await hosting.get('/route'), { status: 404, body: /<html/ }, 'of a host that no box serves');
  });
});
