/**
 * `/docs` in a real browser: the operations are listed, and there are no foreign requests and no console errors.
 */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import t from 'tap';
import { createTestBox } from '../../testing/box.ts';
import { missingPrograms, pathOf } from '../../testing/programs.ts';

const missing = missingPrograms('chromium');

const names = ['core', 'auth', 'tenant', 'media', 'product', 'inventory', 'region', 'pricing', 'cart'];
const box = await createTestBox(t, { packages: names.map((name) => `@carton/${name}`) });
const browser = missing
  ? undefined
  : await chromium.launch({
      executablePath: pathOf('chromium'),
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
t.teardown(() => browser?.close());

/** Opens the page and records its requests and console errors. */
async function openPage(options: BrowserContextOptions = {}) {
  const page = await (browser as Browser).newPage({ viewport: { width: 1280, height: 1000 }, ...options });
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  const response = await page.goto(`${box.url}/docs`);
  await page.waitForSelector('.explorer-groups a', { state: 'attached' });
  return {
    page,
    response,
    errors,
    foreignRequests: () => requests.filter((each) => !/^(data:|blob:)/.test(each) && !each.startsWith(box.url)),
  };
}

/** Opens an operation, sends its request, and returns the status that the page shows. */
async function tryOut(page: Page, tag: string, operationId: string, body?: object): Promise<string> {
  // The link in the contents is visible only while searching, but always works.
  await page.locator(`.explorer-contents a[href="#/${tag}/${operationId}"]`).dispatchEvent('click');
  const operation = page.locator(`#operations-${tag}-${operationId}`);
  await operation.getByRole('button', { name: 'Try it out' }).click();
  if (body) await operation.locator('textarea.body-param__text').fill(JSON.stringify(body));
  await operation.getByRole('button', { name: 'Execute' }).click();
  return (await operation.locator('.live-responses-table tbody .response-col_status').first().textContent()) ?? '';
}

t.test('the explorer shows the operations and loads assets from the box only', { skip: missing }, async (t) => {
  const { page, response, errors, foreignRequests } = await openPage();
  t.match(response?.headers()['content-security-policy'], /default-src 'none'.*script-src 'self' 'sha256-/);
  t.match(await page.locator('.explorer-header').innerText(), /carton\s+Box Backend\s+enterprise\s+\d+\.\d+\.\d+\s/);
  t.match(await page.locator('.explorer-lead').innerText(), /Partner-deployed/);
  const headings = await page.locator('.explorer-package').allTextContents();
  t.strictSame([...headings].sort(), ['box', ...names].sort());
  const events = page.locator('.explorer-groups a[href^="#/webhooks/"]');
  t.equal(await page.locator('.webhooks .opblock').count(), await events.count(), 'every event is in the contents');
  t.strictSame(await page.locator('.explorer-group > strong').allTextContents(), [...headings, 'events']);

  t.match(await tryOut(page, 'Box', 'readHealth'), /200/);
  t.match(await tryOut(page, 'Store', 'readStoreProfile'), /200/);
  t.strictSame(errors, []);
  t.strictSame(foreignRequests(), []);
});

t.test('the search finds operations by words', { skip: missing }, async (t) => {
  const { page } = await openPage();
  const shown = () => page.locator('.explorer-operation:visible').allTextContents();
  t.strictSame(await shown(), []);
  await page.getByRole('searchbox').fill('PATCH store');
  t.strictSame(await shown(), ['patch /admin/store']);
  await page.getByRole('searchbox').fill('nothing of the kind');
  t.ok(await page.getByText('No matching operations.').isVisible());
  await page.getByRole('searchbox').fill('');
  t.strictSame(await shown(), []);
  await page.getByRole('link', { name: 'Store 3' }).click();
  await page.locator('#operations-Store-readStore').waitFor();
});

t.test('a bearer token survives a reload', { skip: missing }, async (t) => {
  const { page, errors } = await openPage();
  const token = (box.staff.headers.authorization as string).replace('Bearer ', '');
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const bearer = page.locator('.auth-container').filter({ hasText: 'staffSession' });
  await bearer.locator('input').fill(token);
  await bearer.getByRole('button', { name: /apply credentials/i }).click();
  await page.locator('.close-modal').click();
  t.match(await tryOut(page, 'Staff', 'readMe'), /200/);
  await page.reload();
  await page.waitForSelector('.explorer-groups a', { state: 'attached' });
  t.match(await tryOut(page, 'Staff', 'readMe'), /200/);
  t.strictSame(errors, []);
});

t.test('the cookie carries the shopper session from one request to the next', { skip: missing }, async (t) => {
  const { page, errors } = await openPage();
  t.match(await tryOut(page, 'Cart', 'updateCart', { note: 'Ring twice' }), /200/);
  t.match(await tryOut(page, 'Cart', 'readCart'), /200/);
  const response = page.locator('#operations-Cart-readCart .live-responses-table tbody .response-col_description');
  t.match(await response.innerText(), /"note": "Ring twice"/);
  t.match(await tryOut(page, 'Products', 'listProducts'), /200/, 'empty parameters are not sent');
  t.strictSame(errors, []);
});

t.test('the page fits a phone and follows the preferred colour scheme', { skip: missing }, async (t) => {
  const { page } = await openPage({ viewport: { width: 360, height: 700 }, colorScheme: 'dark' });
  t.notOk(await page.getByRole('searchbox').isVisible(), 'the contents are collapsed');
  await page.getByText('Contents', { exact: true }).click();
  await page.getByRole('link', { name: /^Staff \d/ }).click();
  await page.locator('#operations-Staff-readMe').waitFor();
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  t.equal(overflow, 0, 'there is no horizontal overflow');
  const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const dark = await background();
  await page.emulateMedia({ colorScheme: 'light' });
  // The browser repaints asynchronously; tap's timeout ends a page that stays dark.
  while ((await background()) === dark) await new Promise((resolve) => setTimeout(resolve, 20));
  t.pass('the page turns light');
});

t.test('only the listed assets are served', async (t) => {
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
  t.match(await visitor.post('/docs/assets/explorer.js'), { status: 405, body: { code: 'method_not_allowed' } });
});
