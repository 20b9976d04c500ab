/**
 * A box as the command of release 0.1.0 has installed and started it. This is what that command wrote, recorded from a run
 * of it with the same packages: no version, no id of the installation, no lines for secrets of later releases, stamps with
 * more members, and a process without a supervisor.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, open, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { list } from 'tar';
import { lockFileName } from '../../vendor.ts';
import type { TestBox } from './box.ts';
import { until } from './box.ts';
import type { TestPackage } from './packages.ts';

/** Values in the form that release 0.1.0 generated. */
export const firstSecrets = {
  LICENSE_KEY: 'ctn_basic_test',
  OPERATOR_SECRET: '6ggJY4Dn6RBsHedEiEq9sGfph7P1DvjW-aDFeazNHUU',
  HOSTING_SECRET: '4ScqN7Y7CtTCc0GY3yS0lBqoh38mXpeJvTP3OAjN-xw',
};

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('base64');

/** Writes the folder. @param lines those that the operator has added to `box.env` @returns the id of the release */
export async function writeFirstRelease(
  { dir, port }: TestBox,
  vendor: { controlPlaneUrl: string; registryUrl: string },
  packages: readonly TestPackage[],
  lines: readonly string[] = [],
): Promise<string> {
  const locked = packages.map(({ manifest: { name, version }, integrity }) => [name, { version, integrity }] as const);
  const sorted = locked.toSorted(([one], [other]) => (one < other ? -1 : 1));
  const lock = `${JSON.stringify({ lockVersion: 1, tier: 'basic', packages: Object.fromEntries(sorted) }, null, 2)}\n`;
  const id = createHash('sha256').update(lock).digest('hex').slice(0, 16);
  const release = join(dir, 'releases', id);
  for (const each of packages) await writePackage(join(release, 'node_modules', each.manifest.name), each);
  await writeFile(join(release, lockFileName), lock);
  await symlink(join('releases', id), join(dir, 'current'));
  const settings = {
    controlPlaneUrl: vendor.controlPlaneUrl,
    host: '127.0.0.1',
    port,
    registryUrl: vendor.registryUrl,
    tier: 'basic',
    customerId: 'customer-1',
  };
  await writeFile(join(dir, 'box.json'), `${JSON.stringify(settings, null, 2)}\n`);
  const heading =
    '# Secrets of this box: keep them to yourself. Lines added here are given to the box as its environment.';
  const secrets = Object.entries(firstSecrets).map(([name, value]) => `${name}=${value}`);
  await writeFile(join(dir, 'box.env'), `${[heading, ...lines, ...secrets].join('\n')}\n`, { mode: 0o600 });
  for (const folder of ['data', 'logs', 'run']) await mkdir(join(dir, folder));
  return id;
}

async function writePackage(folder: string, { manifest, tarball, integrity, unpackedSize }: TestPackage) {
  const files: Record<string, string> = {};
  const writes: Promise<void>[] = [];
  const parser = list({
    onReadEntry(entry) {
      const path = entry.path.replace(/^package\//, '');
      writes.push(
        entry.concat().then(async (content: Buffer) => {
          files[path] = sha256(content);
          await mkdir(dirname(join(folder, path)), { recursive: true });
          await writeFile(join(folder, path), content);
        }),
      );
    },
  });
  Readable.from([tarball]).pipe(parser);
  await once(parser, 'end');
  await Promise.all(writes);
  const { name, version } = manifest;
  const stamp = { name, version, integrity, unpackedSize, dependencies: {}, files };
  await writeFile(join(folder, '.installed.json'), JSON.stringify(stamp));
}

/** Starts the box as `start` of release 0.1.0 did: a process without a supervisor, and its PID file. */
export async function startFirstRelease(box: TestBox, id: string): Promise<ChildProcess> {
  const { dir, port } = box;
  const release = join(dir, 'releases', id);
  const { LICENSE_KEY: _key, ...secrets } = firstSecrets;
  const log = await open(join(dir, 'logs/box.log'), 'a', 0o640);
  const child = spawn(process.execPath, [join(release, 'node_modules/@carton/runtime/dist/main.js')], {
    cwd: dir,
    env: {
      PATH: process.env.PATH,
      ...secrets,
      HOST: '127.0.0.1',
      PORT: String(port),
      BOX_HOME: dir,
      BOX_PACKAGES: join(release, lockFileName),
      NODE_OPTIONS: '--max-semi-space-size=4 --max-old-space-size=1024',
    },
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  await once(child, 'spawn');
  await log.close();
  const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
  const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  const bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  const record = JSON.stringify({ identity: `${bootId}:${startTime}`, release: id });
  await writeFile(join(dir, 'run/box.pid'), `${child.pid}\n${record}\n`);
  child.unref();
  await until(async () => (await box.ask()) !== undefined);
  return child;
}

/** Runs the box as the service of release 0.1.0 did: under its `start --foreground`. */
export async function startFirstService(t: Test, box: TestBox, id: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('first-parent.ts', import.meta.url));
  const child = spawn(process.execPath, [program, box.dir, id, String(box.port)], { stdio: 'ignore' });
  t.teardown(() => child.kill('SIGKILL'));
  await until(async () => (await box.ask()) !== undefined);
  return child;
}
