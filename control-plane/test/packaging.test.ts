/**
 * The units of systemd and the Containerfile: they start what there is, with the hardening that they promise.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { missingPrograms, sourceRoot } from '@carton/runtime/testing';
import t from 'tap';
import { readConfig } from '../config.ts';
import { readConfig as readRegistryConfig } from '../registry/config.ts';

const run = promisify(execFile);
const root = dirname(sourceRoot);
const folder = join(root, 'control-plane/packaging');
const read = (file: string) => readFile(join(folder, file), 'utf8');
const installed = '/opt/carton';
const units = ['carton-control-plane.service', 'carton-registry.service'] as const;

const scratch = await mkdtemp(join(tmpdir(), 'packaging-test-'));
t.teardown(() => rm(scratch, { recursive: true, force: true }));
for (const unit of units) {
  // Verified where the project is, not where it is installed.
  await writeFile(join(scratch, unit), (await read(unit)).replaceAll(installed, root));
}

/** Exit code and output of a command. */
async function outcome(command: string, args: string[], options: { cwd?: string; env?: Record<string, string> } = {}) {
  const result = run(command, args, { ...options, encoding: 'utf8' });
  return result.then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      output: error.stdout + error.stderr,
    }),
  );
}

for (const unit of units) {
  t.test(`${unit} is valid, and closes what it can`, { skip: missingPrograms('systemd-analyze') }, async (t) => {
    const verified = await outcome('systemd-analyze', ['verify', '--man=no', join(scratch, unit)]);
    t.notMatch(verified.output, unit);
    t.equal(verified.code, 0, verified.output);
    // In tenths: of 100, the most exposed.
    const options = ['security', '--offline=true', '--threshold=15', join(scratch, unit)];
    const security = await outcome('systemd-analyze', options);
    t.equal(security.code, 0, security.output.split('\n').at(-2) ?? unit);
  });
}

t.test('the units start the services, which name the settings that are missing', async (t) => {
  const expected = [/^the control plane cannot start: .*ADMIN_SECRET is not set/, /^The registry cannot start: .*/];
  for (const [index, unit] of units.entries()) {
    const [, command = ''] = /^ExecStart=(.+)$/m.exec(await readFile(join(scratch, unit), 'utf8')) ?? [];
    const [program = '', ...args] = command.split(' ');
    const { code, output } = await outcome(program, args, { cwd: root, env: {} });
    t.equal(code, 1, unit);
    t.match(output, expected[index]);
  }
});

t.test('units and images set settings that there are', async (t) => {
  const container = await read('Containerfile');
  const values: Record<string, string> = {
    ADMIN_SECRET: 'admin-secret-of-the-tests',
    REGISTRY_SECRET: 'registry-secret-of-the-tests',
    PUBLISH_SECRET: 'publish-secret-of-the-tests',
    REGISTRY_URL: 'https://registry.example',
    CONTROL_PLANE_URL: 'https://control.example',
  };
  for (const unit of units) {
    for (const [, name = '', value = ''] of (await read(unit)).matchAll(/^Environment=(\w+)=(.+)$/gm)) {
      values[name] = value.replace('%S', '/var/lib');
    }
  }
  t.equal(readConfig(values).home, '/var/lib/carton-control-plane');
  const folder = '/var/lib/carton-registry';
  t.match(readRegistryConfig(values), { storage: folder, home: folder });
  const ofBucket = readRegistryConfig({ ...values, REGISTRY_STORAGE: 's3://packages' });
  t.equal(ofBucket.home, folder, 'reports stay in the folder that the unit may write to');
  for (const [, line = ''] of container.matchAll(/^ENV ((?!NODE_ENV).+)$/gm)) {
    Object.assign(values, Object.fromEntries(line.split(' ').map((pair) => pair.split('='))));
  }
  const { host, home } = readConfig(values);
  t.strictSame([host, home], ['0.0.0.0', '/var/lib/carton']);
  const registry = readRegistryConfig(values);
  t.strictSame([registry.host, registry.storage, registry.home], ['0.0.0.0', '/var/lib/carton', '/var/lib/carton']);
  const ports = [...container.matchAll(/^EXPOSE (\d+)$/gm)].map(([, port]) => Number(port));
  t.strictSame(ports, [readConfig(values).port, registry.port]);
});

t.test('the Containerfile copies and starts files that exist, with the Node.js of the project', async (t) => {
  const container = await read('Containerfile');
  const copied = [...container.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
    sources.split(' '),
  );
  t.strictSame(copied, ['package.json', 'package-lock.json', '.npmrc', 'durable-files', 'runtime', 'control-plane']);
  for (const source of copied) t.ok(existsSync(join(root, source)), source);
  const started = [...container.matchAll(/^CMD \["node", "--conditions=workspace-source", "(.+)"\]$/gm)];
  t.strictSame(
    started.map(([, file]) => file),
    ['control-plane/main.ts', 'control-plane/registry/main.ts'],
  );
  for (const [, file = ''] of started) {
    t.ok(existsSync(join(root, file)), file);
    t.ok(copied.includes(file.split('/')[0] as string));
  }
  const images = new Set([...container.matchAll(/^FROM (docker\S+)/gm)].map(([, image]) => image));
  const version = (await readFile(join(root, '.node-version'), 'utf8')).trim();
  t.strictSame([...images], [`docker.io/library/node:${version}-bookworm-slim`]);
  const targets = [...container.matchAll(/^FROM (\S+) AS (\S+)$/gm)].map(([, from, name]) => [from, name]);
  for (const [index, [from = '']] of targets.entries()) {
    if (from.includes('/')) continue;
    t.ok(
      targets.slice(0, index).some(([, name]) => name === from),
      `${from} is a stage above`,
    );
  }
});
