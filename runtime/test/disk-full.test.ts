/**
 * A disk without room: the box goes on listening and says that it cannot serve, with its database and its own log on
 * that disk, and serves again by itself once there is room. On a file system of the test's own.
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { startEmbeddedPostgres } from '../db/embedded.ts';
import { exactly } from '../testing/exactly.ts';
import { packageName } from '../vendor.ts';

const home = mkdtempSync(join(tmpdir(), 'disk-full-'));
chmodSync(home, 0o755);
let refusal: string | false = false;
try {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=320m,mode=0755', 'tmpfs', home], { stdio: 'pipe' });
} catch (error) {
  rmSync(home, { recursive: true });
  refusal = `no file system can be mounted here: ${(error as Error).message.split('\n')[1] ?? ''}`;
}

t.test('a full disk', { skip: refusal }, async (t) => {
  const lockFile = join(t.testdir({}), 'lock.json');
  const names = ['core', 'auth', 'tenant'].map(packageName);
  writeFileSync(
    lockFile,
    JSON.stringify({ tier: 'basic', packages: Object.fromEntries(names.map((name) => [name, {}])) }),
  );
  const secret = randomBytes(18).toString('base64url');
  const logFile = join(home, 'box.log');
  const log = openSync(logFile, 'a');
  const child = spawn(
    process.execPath,
    ['--conditions=workspace-source', fileURLToPath(new URL('../main.ts', import.meta.url))],
    {
      env: {
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(PATH|NODE_|_TAPJS_)/.test(name))),
        BOX_HOME: home,
        BOX_PACKAGES: lockFile,
        PORT: '0',
        OPERATOR_SECRET: secret,
      },
      stdio: ['ignore', log, log],
    },
  );
  closeSync(log);
  const ended = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await ended;
    execFileSync('umount', ['--lazy', home]);
    rmSync(home, { recursive: true });
  });
  const said = () => readFileSync(logFile, 'utf8');
  const listening = /"url":"([^"]+)".*"listening"/;
  while (!listening.test(said())) {
    if (child.exitCode !== null) throw new Error(`the box ended: ${said()}`);
    await sleep(50);
  }
  const url = listening.exec(said())?.[1] as string;

  /** Whoever is not answered within this time takes the box for dead. */
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, signal: AbortSignal.timeout(20_000) });
  let made = 0;
  const write = () =>
    ask('/admin/tenants', {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ slug: `shop-${++made}`, name: 'Shop', staffEmail: 'ada@shop.example' }),
    });
  t.equal((await write()).status, 201);
  t.equal((await ask('/health')).status, 200);

  const filler = join(home, 'filler');
  const fill = () => {
    const file = openSync(filler, 'a');
    try {
      for (const size of [1 << 20, 1 << 12, 1]) {
        try {
          for (;;) writeSync(file, Buffer.alloc(size));
        } catch (error) {
          t.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
        }
      }
    } finally {
      closeSync(file);
    }
  };
  const postgres = await startEmbeddedPostgres({ directory: join(home, 'data', 'postgresql') });
  fill();
  // PostgreSQL writes on into the log segment that it has; the next one has no room, and that ends it.
  const { openDatabase } = await import('../db/database.ts');
  const superuser = openDatabase({ url: postgres.url, poolSize: 1 });
  await superuser.box.query('select pg_switch_wal()').catch(() => {});
  await superuser.close().catch(() => {});

  const refused = async () => {
    const answer = await write();
    const { status, headers } = answer;
    if (status === 201) return false;
    t.match(
      [
        status,
        headers.get('content-type'),
        headers.get('retry-after'),
        ((await answer.json()) as { code: string }).code,
      ],
      exactly([503, 'application/problem+json', /^\d+$/, 'unavailable']),
    );
    return true;
  };
  while (!(await refused())) fill();
  for (let round = 0; round < 5; round++) {
    // Whoever took the room takes what a PostgreSQL that has ended gives back, so that the log has none either.
    fill();
    const health = await ask('/health');
    if (health.status !== 200) {
      t.match([health.status, health.headers.get('retry-after')], exactly([503, /^\d+$/]));
    }
    t.equal((await ask('/health?probe=live')).status, 200);
    await Promise.all(Array.from({ length: 200 }, () => ask('/store'))).then((answers) =>
      t.ok(answers.every(({ status }) => [404, 503].includes(status) || status === 200)),
    );
    if (round < 4) await refused();
  }
  t.equal(child.exitCode, null, 'it is the same process');

  rmSync(filler);
  while ((await ask('/health')).status !== 200) await sleep(100);
  t.equal((await write()).status, 201);
  t.equal(child.exitCode, null);
  const lines = said().trimEnd().split('\n').length;
  await ask('/health');
  while (said().trimEnd().split('\n').length <= lines) await sleep(20);
  t.pass('and the log goes on');
  t.notOk(existsSync(filler));
});
