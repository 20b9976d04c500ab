/**
 * Prism as a validating proxy between a client and the stack: the README's commands, what docs/clients.md shows, and
 * refusals of several kinds go through it, and neither a request nor an answer differs from the documents.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { callerOf, exactly, freePort, until } from '@carton/runtime/testing';
import type { Test } from 'tap';
import { type RunningStack, root } from '../../../test/support/stack.ts';

const run = promisify(execFile);

interface Proxy {
  url: string;
  /** The differences that Prism has found so far. */
  violations(): string[];
}

/** Starts Prism in front of a service, with the service's own document. */
async function startProxy(t: Test, { home }: RunningStack, upstream: string, name: string): Promise<Proxy> {
  const file = join(home, `${name}.json`);
  const document = await (await fetch(`${upstream}/docs/json`)).text();
  await writeFile(file, document);
  const port = await freePort();
  const prism = join(root, 'node_modules/.bin/prism');
  const child: ChildProcess = spawn(prism, ['proxy', '--errors', '--port', String(port), file, upstream], {
    env: { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  t.teardown(async () => {
    child.kill();
    await ended;
  });
  let output = '';
  const ready = new Promise<void>((resolve) => {
    const collect = (chunk: Buffer) => {
      output += chunk;
      if (output.includes('Prism is listening')) resolve();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
  });
  const failed = ended.then(() => {
    throw new Error(`Prism exited: ${output}`);
  });
  await Promise.race([ready, failed]);
  failed.catch(() => {});
  const violations = () => output.split('\n').filter((line) => line.includes('prism/errors#'));
  return { url: `http://127.0.0.1:${port}`, violations };
}

/** Sends requests to a stack with a demo store through proxies. */
export async function testThroughProxies(t: Test, stack: RunningStack): Promise<void> {
  const [box, controlPlane] = await Promise.all([
    startProxy(t, stack, stack.boxUrl, 'box'),
    startProxy(t, stack, stack.controlPlaneUrl, 'control-plane'),
  ]);

  await t.test('the README passes the proxy', async (t) => {
    const folder = join(stack.home, 'readme');
    await mkdir(folder);
    const settings = JSON.parse(await readFile(join(stack.home, 'stack.json'), 'utf8'));
    const proxied = { ...settings, boxUrl: box.url, controlPlaneUrl: controlPlane.url };
    await writeFile(join(folder, 'stack.json'), JSON.stringify(proxied), { mode: 0o600 });
    const readme = await readFile(join(root, 'README.md'), 'utf8');
    const [, lines] = /```sh\n([\s\S]*?)```/.exec(readme) as RegExpExecArray;
    const script = join(folder, 'readme.sh');
    await writeFile(script, `set -e\ncd ${folder}\n${lines?.replaceAll('./.carton/', './')}`);
    const { stdout } = await run('bash', [script], { env: { ...process.env, ...stack.environment } });
    t.match(stdout, /"registryUrl"/, 'a key is minted and activated');
    t.match(stdout, /HTTP\/1\.1 201/, 'the order is placed');
    t.match(stdout, /"ada@example\.com"/, 'and read');
    t.strictSame(box.violations(), []);
    t.strictSame(controlPlane.violations(), []);
  });

  await t.test('the example of docs/clients.md passes the proxy', async (t) => {
    const guide = await readFile(join(root, 'docs/clients.md'), 'utf8');
    const [, example] = /```ts\n([\s\S]*?)```/.exec(guide) as RegExpExecArray;
    const folder = join(stack.home, 'client');
    await mkdir(folder);
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'buy.ts'), example as string);
    const { buy } = await import(join(folder, 'buy.ts'));
    const order = await buy(box.url, 'ada@example.com');
    t.match(order, { status: 'placed', customer: { email: 'ada@example.com' } });
    t.strictSame(box.violations(), []);
  });

  await t.test('errors and conditional requests pass the proxy', async (t) => {
    const unknown = '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';
    const visitor = callerOf(box.url);
    const buyer = { customer: { email: 'ada@example.com' } };
    const { status, headers } = await visitor.get('/products?limit=1');
    t.equal(status, 200);
    const etag = headers.get('etag') as string;
    t.match(await visitor.get('/products?limit=1', { headers: { 'if-none-match': etag } }), { status: 304 });
    t.match(await visitor.get('/products?limit=1&fields=id,title'), { status: 200 });
    t.match(await visitor.get(`/checkout/${unknown}`), { status: 404, body: { code: 'not_found' } });
    t.match(await visitor.post('/checkout', buyer), { status: 409, body: { code: 'cart_empty' } });
    const wrong = { email: 'nobody@example.com', password: 'a wrong password' };
    t.match(await visitor.post('/admin/auth/login', wrong), { status: 401, body: { code: /./ } });
    const unauthenticated = callerOf(box.url, { authorization: 'Bearer wrong' });
    t.match(await unauthenticated.get('/admin/orders'), { status: 401, body: { code: 'unauthenticated' } });

    const { body } = await visitor.post('/admin/auth/login', stack.staff);
    const staff = callerOf(box.url, { authorization: `Bearer ${body.token}` });
    for (const path of ['/admin/products', '/admin/orders', '/admin/store', '/admin/capabilities', '/admin/me']) {
      t.match(await staff.get(path), { status: 200 }, path);
    }
    t.strictSame(box.violations(), []);
  });

  await t.test('the proxy rejects a request that the document does not allow', async (t) => {
    const response = await callerOf(box.url).get('/products?limit=0');
    t.match(response, { status: 422, body: { type: /stoplight/ } });
    await until(box.violations, ({ length }) => length > 0);
    t.match(box.violations(), exactly([/UNPROCESSABLE_ENTITY/]));
  });
}
