/**
 * OpenStack Swift with its S3 interface (s3api), in a folder of the rig: one server of each kind, and two proxies, one of
 * which has no authentication and lists the objects. Needs Debian's packages of Swift.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, missingPrograms, pathOf } from '@carton/runtime/testing';
import type { Stage } from '../support/rig.ts';
import { bucket, type S3Service, settingsOf } from './s3-service.ts';

const kinds = ['account', 'container', 'object'] as const;
const startTimeout = 30_000;

/** How to install it; false if it is installed. */
export function missingSwift(): string | false {
  const servers = [...kinds, 'proxy' as const].map((kind) => `swift-${kind}-server` as const);
  return missingPrograms('swift-ring-builder', ...servers);
}

type Kind = (typeof kinds)[number] | 'proxy' | 'lister';

interface Program {
  kind: Kind;
  port: number;
  file: string;
  child: ChildProcess | null;
}

export async function startSwift(stage: Stage): Promise<S3Service> {
  const folder = join(stage.folder, 'swift');
  await mkdir(join(folder, 'devices', 'disk'), { recursive: true });
  const ports = { proxy: await freePort(), lister: await freePort() };
  const storage: Program[] = [];
  for (const kind of kinds) storage.push(await layOutStorage(folder, kind, await freePort()));
  const middleware = ['catch_errors', 'gatekeeper', 'cache', 'listing_formats', 's3api', 'tempauth', 'copy', 'slo'];
  const proxy = await layOutProxy(folder, 'proxy', ports.proxy, [...middleware, 'dlo', 'symlink']);
  const lister = await layOutProxy(folder, 'lister', ports.lister, ['catch_errors', 'cache', 'listing_formats']);
  const listing = `http://127.0.0.1:${ports.lister}/v1/AUTH_test/${bucket}`;
  for (const program of [...storage, lister, proxy]) stage.atEnd(`swift ${program.kind}`, () => kill(program));
  for (const program of storage) run(folder, program);
  // A proxy leaves out a server that refused some connections for a minute.
  for (const { port } of storage) await until(stage, () => fetch(`http://127.0.0.1:${port}/`), [400, 404, 412]);
  run(folder, lister);
  await until(stage, () => fetch(listing, { method: 'PUT' }), [201, 202]);

  const service: S3Service = {
    name: 'swift',
    environment: settingsOf(ports.proxy, 'test:tester', 'testing'),
    async start() {
      run(folder, proxy);
      // Without a signature, it is no address of Swift either.
      await until(stage, () => fetch(`http://127.0.0.1:${ports.proxy}/${bucket}`), [412]);
    },
    kill: () => kill(proxy),
    async objects() {
      const response = await fetch(`${listing}?format=json`);
      const objects = (await response.json()) as { name: string }[];
      return objects.map(({ name }) => name.split('/').at(-1) as string);
    },
  };
  await service.start();
  return service;
}

const commonLines = (folder: string, port: number) => [
  '[DEFAULT]',
  'bind_ip = 127.0.0.1',
  `bind_port = ${port}`,
  'workers = 0',
  'user = root',
  `swift_dir = ${folder}`,
  `devices = ${join(folder, 'devices')}`,
  'mount_check = false',
  'fallocate_reserve = 0',
  'log_level = WARNING',
];

/** Writes the settings of a server, and a ring with one device. */
async function layOutStorage(folder: string, kind: (typeof kinds)[number], port: number): Promise<Program> {
  const file = join(folder, `${kind}.conf`);
  const name = `${kind}-server`;
  const server = ['[pipeline:main]', `pipeline = ${name}`, `[app:${name}]`, `use = egg:swift#${kind}`];
  await writeFile(file, [...commonLines(folder, port), ...server, ''].join('\n'));
  const ring = (...words: string[]) =>
    promisify(execFile)(pathOf('swift-ring-builder'), [join(folder, `${kind}.builder`), ...words]);
  await ring('create', '4', '1', '1');
  const place = ['--region', '1', '--zone', '1', '--ip', '127.0.0.1', '--port', `${port}`];
  await ring('add', ...place, '--device', 'disk', '--weight', '1');
  await ring('rebalance');
  return { kind, port, file, child: null };
}

async function layOutProxy(folder: string, kind: Kind, port: number, filters: readonly string[]): Promise<Program> {
  const settings: Record<string, string[]> = {
    // There is no cache: each look-up fails at once.
    cache: ['memcache_servers = 127.0.0.1:1'],
    tempauth: ['user_test_tester = testing .admin'],
  };
  const sections = filters.flatMap((filter) => {
    const name = filter === 'cache' ? 'memcache' : filter;
    return [`[filter:${filter}]`, `use = egg:swift#${name}`, ...(settings[filter] ?? [])];
  });
  const pipeline = ['[pipeline:main]', `pipeline = ${filters.join(' ')} proxy-server`];
  const app = ['[app:proxy-server]', 'use = egg:swift#proxy', 'account_autocreate = true'];
  const file = join(folder, `${kind}.conf`);
  await writeFile(file, [...commonLines(folder, port), ...pipeline, ...app, ...sections, ''].join('\n'));
  return { kind, port, file, child: null };
}

function run(folder: string, program: Program): void {
  const server = program.kind === 'lister' ? 'proxy' : program.kind;
  const output = openSync(join(folder, `${program.kind}.log`), 'a');
  program.child = spawn(pathOf(`swift-${server}-server`), [program.file], {
    stdio: ['ignore', output, output],
  });
  closeSync(output);
}

async function kill({ child }: Program): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Sends a request until it gets one of the statuses. */
async function until(stage: Stage, send: () => Promise<Response>, statuses: readonly number[]): Promise<void> {
  const end = performance.now() + startTimeout;
  for (;;) {
    const status = await send().then(
      (response) => response.status,
      (error: Error) => error.message,
    );
    if (statuses.includes(status as number)) return;
    if (performance.now() > end) throw new Error(`Swift does not serve: ${status}`);
    await sleep(100, undefined, { signal: stage.signal });
  }
}
