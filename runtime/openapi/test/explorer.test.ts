/**
 * `/docs` in a real browser: the operations are there, nothing is asked of another machine, nothing is complained of.
 */
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import t from 'tap';
import { createTestBox } from '../../testing/box.ts';

const executablePath = '/usr/bin/chromium';
const missing = existsSync(executablePath) ? false : `${executablePath} is not installed`;
if (missing && process.env.CI) throw new Error(`${missing}: apt-get install chromium`);

t.test('the explorer shows the operations from disk alone', { skip: missing }, async (t) => {
  const box = await createTestBox(t, { packages: ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`) });
  const browser = await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  t.teardown(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
  const complaints: string[] = [];
  const asked: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => asked.push(request.url()));

  const response = await page.goto(`${box.url}/docs`);
  t.match(response?.headers()['content-security-policy'], /default-src 'none'.*script-src 'self' 'sha256-/);
  await page.waitForSelector('.opblock-summary-path');
  const shown = await page.locator('.opblock-summary-path').allTextContents();
  const paths = shown.map((text) => text.replaceAll('\u200b', ''));
  t.ok(paths.includes('/health'));
  t.ok(paths.includes('/admin/auth/login'));

  await page.locator('#operations-Box-readHealth .opblock-summary').click();
  await page.getByRole('button', { name: 'Try it out' }).click();
  await page.getByRole('button', { name: 'Execute' }).click();
  const answered = page.locator('.live-responses-table tbody .response-col_status').first();
  t.match(await answered.textContent(), /200/);

  t.strictSame(complaints, []);
  t.ok(
    asked.every((url) => url.startsWith(box.url) || url.startsWith('data:')),
    'no request leaves the machine',
  );
});

t.test('assets are served, and nothing else of the folder', async (t) => {
  const box = await createTestBox(t, { packages: ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`) });
  const visitor = box.visitor();
  t.match(await visitor.get('/docs/assets/swagger-ui-bundle.js'), { status: 200 });
  for (const path of [
    '/docs/assets/package.json',
    '/docs/assets/../package.json',
    '/docs/assets/%2e%2e/package.json',
    '/docs/assets/__proto__',
  ]) {
    t.match(await visitor.get(path), { status: 404 }, path);
  }
  t.match(await visitor.post('/docs'), { status: 405, body: { code: 'method_not_allowed' } });
  t.match(await visitor.call('HEAD', '/docs'), { status: 200 });
});
