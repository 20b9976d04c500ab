/**
 * A box whose supervisor holds the socket: it is checked at its private path, serves at a message, and when another one
 * does, completes what its clients have begun.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { readdir, readlink, rm } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import t, { type Test } from 'tap';
import { readLocation, readPassword } from '../../db/embedded/cluster.ts';
import { readPostmaster } from '../../db/embedded/server.ts';
import { connectionUrl } from '../../db/embedded.ts';
import { homeOfBox } from '../../testing/box-home.ts';
import { temporaryFolder } from '../../testing/folders.ts';
import { packageName, vendor } from '../../vendor.ts';

const main = fileURLToPath(new URL('../../main.ts', import.meta.url));

/** A socket that is bound and does not accept, as the installer's. */
function bindSocket(t: Test): { fd: number; port: number } {
  const { _createServerHandle: bind } = net as unknown as {
    _createServerHandle(
      host: string,
      port: number,
      family: 4,
    ): {
      fd: number;
      getsockname(name: object): void;
      close(): void;
    };
  };
  const handle = bind('127.0.0.1', 0, 4);
  t.teardown(() => handle.close());
  const name = {} as AddressInfo;
  handle.getsockname(name);
  return { fd: handle.fd, port: name.port };
}

interface Box {
  child: ChildProcess;
  privatePath: string;
  ended: Promise<unknown[]>;
  output(): string;
}

async function startBox(t: Test, home: string, name: string, fd: number, environment = {}): Promise<Box> {
  const lockFile = join(home, 'lock.json');
  const packages = Object.fromEntries(['core', 'auth', 'tenant'].map((each) => [packageName(each), {}]));
  writeFileSync(lockFile, JSON.stringify({ tier: 'basic', packages }));
  // The path of a socket is short.
  const sockets = await temporaryFolder('handover-');
  const privatePath = join(sockets, `${name}.sock`);
  const child = spawn(process.execPath, ['--conditions=workspace-source', main], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      BOX_HOME: home,
      BOX_PACKAGES: lockFile,
      SUPERVISOR_PRIVATE_PATH: privatePath,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', fd, 'ipc'],
  });
  const ended = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(sockets, { recursive: true, force: true });
  });
  while ((await request({ socketPath: privatePath }).catch(() => undefined))?.statusCode !== 200) {
    if (child.exitCode !== null) throw new Error(output);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { child, privatePath, ended, output: () => output };
}

function request(options: { socketPath?: string; port?: number; agent?: Agent }): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', path: '/health', ...options }, (response) => {
      response.resume().once('end', () => resolve(response));
    }).once('error', reject);
  });
}

async function serve({ child }: Box): Promise<void> {
  child.send('serve');
  t.strictSame(await once(child, 'message'), ['serving', undefined]);
}

t.test('one box takes the place of another', async (t) => {
  const home = await homeOfBox(t, 'handover-');
  const socket = bindSocket(t);
  const first = await startBox(t, home, 'first', socket.fd);
  await t.rejects(request({ port: socket.port }), { code: 'ECONNREFUSED' }, 'it does not serve before the message');
  await serve(first);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  t.match(await request({ port: socket.port, agent }), { statusCode: 200, headers: { connection: 'keep-alive' } });

  const second = await startBox(t, home, 'second', socket.fd);
  await serve(second);
  first.child.send('retire');
  while (!first.output().includes('retiring')) await once(first.child.stdout as NodeJS.ReadableStream, 'data');
  const last = await request({ port: socket.port, agent });
  t.match(last, { statusCode: 200, headers: { connection: 'close' } }, 'an idle connection has its next response');
  t.strictSame(await first.ended, [0, null], 'it exits after its last connection');
  t.match(await request({ port: socket.port }), { statusCode: 200 });

  const postgres = await postmasterOf(home);
  const files = await Promise.all((await readdir(`/proc/${postgres}/fd`)).map((fd) => target(postgres, fd)));
  const own = await Promise.all((await readdir('/proc/self/fd')).map((fd) => target('self', fd)));
  const shared = own.filter((file) => file.startsWith('socket:') && files.includes(file));
  t.strictSame(shared, [], 'PostgreSQL, which outlives the box, has not inherited the socket');

  second.child.kill('SIGTERM');
  t.strictSame(await second.ended, [0, null]);
  t.equal(await postmasterOf(home), undefined, 'the last box stops PostgreSQL');
});

t.test('a box whose supervisor ends before it serves exits', async (t) => {
  const home = await homeOfBox(t, 'handover-');
  const box = await startBox(t, home, 'only', bindSocket(t).fd);
  box.child.disconnect();
  t.strictSame(await box.ended, [1, null]);
  t.match(box.output(), /the box cannot start: its supervisor has ended/);
});

const target = (pid: number | string | undefined, fd: string) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '');

async function databaseHomeOf(home: string): Promise<string> {
  const directory = join(home, 'data', 'postgresql');
  return (await readLocation(directory)) ?? directory;
}

async function postmasterOf(home: string): Promise<number | undefined> {
  return readPostmaster(join(await databaseHomeOf(home), 'data'))?.pid;
}

t.test('a box that is only checked serves and does no background work', async (t) => {
  const home = await homeOfBox(t, 'handover-');
  const workers = async () => {
    const at = await databaseHomeOf(home);
    const socketFolder = readPostmaster(join(at, 'data'))?.socketFolder ?? '';
    const client = new pg.Client({
      connectionString: connectionUrl(vendor.name, (await readPassword(at)) ?? '', socketFolder),
    });
    await client.connect();
    const { rowCount } = await client.query("select from pg_stat_activity where application_name = 'box background'");
    await client.end();
    return rowCount;
  };
  const place = bindSocket(t);
  const checked = await startBox(t, home, 'checked', place.fd, { SUPERVISOR_CHECK: '1' });
  await serve(checked);
  t.match(await request({ port: place.port }), { statusCode: 200 });
  // It has had the time that the start of another one takes, which does not serve yet.
  const other = await startBox(t, home, 'other', bindSocket(t).fd);
  t.equal(await workers(), 0);
  await serve(other);
  while ((await workers()) === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  for (const { child, ended } of [checked, other]) {
    child.kill('SIGTERM');
    t.strictSame(await ended, [0, null]);
  }
});
