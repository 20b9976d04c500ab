/**
 * A full disk with the box's database and log: the box continues to listen and responds 503, and recovers by itself
 * when there is space again. The test mounts a file system of its own.
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
import { folderInProject } from '../testing/folders.ts';
import { packageName } from '../vendor.ts';

const home = mkdtempSync(join(tmpdir(), 'disk-full-'));
chmodSync(home, 0o755);
let skip: string | false = false;
try {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=320m,mode=0755', 'tmpfs', home], { stdio: 'pipe' });
} catch (error) {
  rmSync(home, { recursive: true });
  skip = `no file system can be mounted here: ${(error as Error).message.split('\n')[1] ?? ''}`;
}

t.test('a full disk', { skip }, async (t) => {
  const folder = await folderInProject('disk-full-');
  const lockFile = join(folder, 'lock.json');
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
    for (const each of [home, folder]) rmSync(each, { recursive: true });
  });
  const readLog = () => readFileSync(logFile, 'utf8');
  const listening = /"url":"([^"]+)".*"listening"/;
  while (!listening.test(readLog())) {
    if (child.exitCode !== null) throw new Error(`the box exited: ${readLog()}`);
    await sleep(50);
  }
  const url = listening.exec(readLog())?.[1] as string;

  /** The timeout after which a client would consider the box dead. */
  const send = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, signal: AbortSignal.timeout(20_000) });
  let count = 0;
  const write = () =>
    send('/admin/tenants', {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ slug: `shop-${++count}`, name: 'Store', staffEmail: 'ada@shop.example' }),
    });
  t.equal((await write()).status, 201);
  t.equal((await send('/health')).status, 200);

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
  // PostgreSQL has space in its current WAL segment; it fails when it cannot create the next one.
  const { openDatabase } = await import('../db/database.ts');
  const superuser = openDatabase({ url: postgres.url, poolSize: 1 });
  await superuser.box.query('select pg_switch_wal()').catch(() => {});
  await superuser.close().catch(() => {});

  const isRefused = async () => {
    const response = await write();
    const { status, headers } = response;
    if (status === 201) return false;
    t.match(
      [
        status,
        headers.get('content-type'),
        headers.get('retry-after'),
        ((await response.json()) as { code: string }).code,
      ],
      exactly([503, 'application/problem+json', /^\d+$/, 'unavailable']),
    );
    return true;
  };
  while (!(await isRefused())) fill();
  for (let round = 0; round < 5; round++) {
    // Uses the space that a PostgreSQL that has exited releases, so that the log has none either.
    fill();
    const health = await send('/health');
    if (health.status !== 200) {
      t.match([health.status, health.headers.get('retry-after')], exactly([503, /^\d+$/]));
    }
    t.equal((await send('/health?probe=live')).status, 200);
    await Promise.all(Array.from({ length: 200 }, () => send('/store'))).then((responses) =>
      t.ok(responses.every(({ status }) => [404, 503].includes(status) || status === 200)),
    );
    if (round < 4) await isRefused();
  }
  t.equal(child.exitCode, null, 'it is the same process');

  rmSync(filler);
  while ((await send('/health')).status !== 200) await sleep(100);
  t.equal((await write()).status, 201);
  t.equal(child.exitCode, null);
  const lines = readLog().trimEnd().split('\n').length;
  await send('/health');
  while (readLog().trimEnd().split('\n').length <= lines) await sleep(20);
  t.pass('the log continues');
  t.notOk(existsSync(filler));
});
