/**
 * `npm start`: ready after one command, the commands of the README work as pasted, the contract holds row by row, requests
 * and answers are as documented, no process remains afterwards, and the next start finds the data again.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findProcesses } from '@carton/installer';
import { callerOf, missingPrograms, processesWith } from '@carton/runtime/testing';
import t from 'tap';
import { testStackRows } from '../../../tools/contract-rows/stack.ts';
import { noOlderNode, runInOlderNode } from '../../test/support/older-node.ts';
import { root, stackPlace, startStack } from '../../test/support/stack.ts';
import { testThroughProxies } from './support/prism.ts';

const run = promisify(execFile);

const skip = missingPrograms('curl');

t.test('a fresh start, the README, and a second start', { skip }, async (t) => {
  const place = await stackPlace(t);
  const stack = await startStack(t, place);
  t.equal((await stat(join(place.home, 'stack.json'))).mode & 0o777, 0o600);
  t.equal((await stat(join(place.home, 'box/box.env'))).mode & 0o777, 0o600);
  for (const secret of ['adminSecret', 'operatorSecret', 'hostingSecret', 'licenseKey'] as const) {
    t.notOk(stack.output().includes(stack[secret]), `${secret} is not printed`);
  }

  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const [, lines] = /```sh\n([\s\S]*?)```/.exec(readme) as RegExpExecArray;
  const script = join(place.home, 'readme.sh');
  await writeFile(
    script,
    `set -e\ncd ${place.home}\n${lines?.replaceAll('./.carton/', './').replace('rm cookies.txt order.txt', '')}`,
  );
  await chmod(script, 0o700);
  const { stdout } = await run('bash', [script], { env: { ...process.env, ...place.environment } });
  t.match(stdout, /ctn_basic_/, 'a key is minted');
  t.match(stdout, /"registryUrl"/, 'it is activated');
  t.match(stdout, /"linen-shirt"/, 'the products are listed');
  t.match(stdout, /HTTP\/1\.1 201/, 'the order is placed');
  t.match(stdout, /"ada@example\.com"/, 'and complete for the shopper who placed it');
  const order = /location: (\/checkout\/[0-9a-f-]{36})/i.exec(stdout)?.[1] as string;
  const cart = await callerOf(stack.boxUrl, { cookie: await cookieOf(place.home) }).get('/cart');
  t.strictSame(cart.body.items, [], 'the cart is empty');

  await t.test('the rows of the contract', async (t) => {
    await testStackRows(t, {
      ...stack,
      visitor: callerOf(stack.boxUrl),
      hosted: callerOf(stack.boxUrl, { 'x-tenant-slug': stack.tenant, 'x-hosting-secret': stack.hostingSecret }),
      log: await readFile(join(stack.home, 'logs/box.log'), 'utf8'),
    });
  });

  await t.test('requests and answers are those of the documents', (t) => testThroughProxies(t, stack));

  await t.test('a part that dies is restarted', async (t) => {
    for (const { pid } of processesWith('control-plane/main.ts'))
      if ((await environmentOf(pid)).includes(place.home)) process.kill(pid, 'SIGKILL');
    while (!stack.output().includes('control-plane is ready again')) await sleep(100);
    t.match(stack.output(), /control-plane exited \(SIGKILL\); restarting it in \d+ s/);
    t.match(await stack.controlPlane.get('/health'), { status: 200 });
  });

  await t.test('the command line of knex has the migrations of the installed box', { skip: noOlderNode }, async (t) => {
    const box = { CARTON_BOX_DIR: join(place.home, 'box') };
    const knex = (command: string) => runInOlderNode(root, ['npx', 'knex', '--knexfile', 'knexfile.ts', command], box);
    const list = await knex('migrate:list');
    t.match(list, { code: 0, output: 'No Pending Migration' });
    const last = list.output.match(/^\d{14}_\w+\.js/gm)?.at(-1) as string;
    t.match(await knex('migrate:down'), { code: 0, output: last });
    t.match(await knex('migrate:status'), { code: 0, output: 'Found 1 Pending Migration' });
    t.match(await callerOf(stack.boxUrl).get('/health'), { status: 503, body: { detail: last } });
    t.match(await knex('migrate:up'), { code: 0, output: last });
    t.match(await callerOf(stack.boxUrl).get('/health'), { status: 200 });
  });

  const staff = await stack.staffCaller();
  const [notebook] = (await staff.get('/admin/products?limit=100')).body.items.filter(
    ({ handle }: { handle: string }) => handle === 'notebook',
  );
  t.match(await staff.patch(`/admin/products/${notebook.id}`, { status: 'archived' }), { status: 200 });

  t.equal(await stack.stop(), 0, 'SIGTERM stops it with 0');
  t.strictSame(processesWith(place.home), [], 'no process remains');
  t.notOk(existsSync(join(place.home, 'stack.json')));

  const again = await startStack(t, place);
  t.equal(again.operatorSecret, stack.operatorSecret);
  t.equal(again.licenseKey, stack.licenseKey, 'the key is the same');
  t.match(await callerOf(again.boxUrl).get(order), { status: 200 }, 'the data is still there');
  t.match(
    await callerOf(again.boxUrl).get('/products/notebook'),
    { status: 404 },
    'the archived product stays archived',
  );
  await t.test('the next stack stops the parts of a killed one', async (t) => {
    const programs = await findProcesses(
      (words) => words.some((word) => word.endsWith('scripts/commands/start.ts')),
      `CARTON_HOME=${place.home}`,
    );
    for (const { pid } of programs) process.kill(pid, 'SIGKILL');
    t.not(await again.stop(), 0);
    t.match(await callerOf(again.boxUrl).get(order), { status: 200 }, 'its box still serves');
    const file = join(place.home, 'secrets.json');
    const { demoFilled, ...secrets } = JSON.parse(await readFile(file, 'utf8'));
    t.type(demoFilled, 'string');
    await writeFile(file, JSON.stringify({ ...secrets, staff: { ...secrets.staff, password: 'wrong' } }));
    const third = await startStack(t, place);
    t.match(third.output(), /stopping processes that an earlier stack left running/);
    t.match(
      third.output(),
      /the demo store could not be filled, and the next start will try again: POST /,
      'which does not stop it',
    );
    t.match(await callerOf(third.boxUrl).get(order), { status: 200 }, 'the data is still there');
    const fourth = await run('npm', ['start'], { cwd: root, env: { ...process.env, ...place.environment } }).catch(
      (error) => error as { code: number; stderr: string },
    );
    t.match(fourth, { code: 1, stderr: /stack: port \d+ is in use/ }, 'a second stack does not start');
    t.ok(existsSync(join(place.home, 'stack.json')), 'and does not affect the first');
    t.equal(await third.stop('SIGINT'), 0, 'SIGINT stops it with 0');
    t.strictSame(processesWith(place.home), []);
  });
});

async function cookieOf(home: string): Promise<string> {
  const jar = await readFile(join(home, 'cookies.txt'), 'utf8');
  const fields = jar
    .split('\n')
    .filter((line) => line.includes('_session'))
    .at(-1)
    ?.split('\t') as string[];
  return `${fields[5]}=${fields[6]}`;
}

async function environmentOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
}

t.test('what prevents the start is reported in one line', async (t) => {
  const place = await stackPlace(t);
  const listener = createServer().listen(Number(place.environment.REGISTRY_PORT), '127.0.0.1');
  t.teardown(() => listener.close());
  const start = (environment: object, ...parameters: string[]) =>
    run(process.execPath, ['--conditions=workspace-source', join(root, 'scripts/commands/start.ts'), ...parameters], {
      env: { ...process.env, ...place.environment, ...environment },
    }).catch((error) => error as { code: number; stderr: string; stdout: string });
  t.match(await start({}), { code: 1, stderr: /^stack: port \d+ is in use: .*REGISTRY_PORT\n$/ });
  t.match(await start({}, '--tier', 'gold'), { code: 2, stderr: /basic, growth, enterprise/ });
  t.match(await start({}, '--other'), { code: 2 });
  t.match(await start({ BOX_PORT: 'x' }), { code: 2, stderr: /BOX_PORT is not a port/ });
  t.match(await start({}, '--help'), { stdout: /npm start -- \[--tier/ });
});
