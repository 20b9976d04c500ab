/**
 * The binary, alone in a folder and with an empty environment: what it prints, and every command that an operator gives
 * to the installed box. Each command is loaded when it is given.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createForSale } from '@carton/cart/testing';
import { freePort, openTenant, s3Account, startS3Service, temporaryFolder } from '@carton/runtime/testing';
import { commands } from '../../installer/command-line/commands.ts';
import { exitCodes } from '../../installer/exit-codes.ts';
import { carton, machineFolder, runOnMachine } from '../../tools/shipped-stack/machine.ts';
import { boxFolder, readBoxEnvironment } from '../../tools/shipped-stack/settings.ts';
import { subject } from '../subject.ts';
import { checkEnded } from '../support/ended.ts';

const run = promisify(execFile);
/** Runs a command at a terminal. */
const terminal = '/usr/bin/script';

/** Median times of commands in milliseconds. They run alternately, so that changes of the machine affect both. */
async function medians(runs: number, ...given: [file: string, parameters: string[]][]): Promise<number[]> {
  const times = given.map((): number[] => []);
  for (let turn = 0; turn <= runs; turn++) {
    for (const [index, [file, parameters]] of given.entries()) {
      const started = performance.now();
      await run(file, parameters, { env: {} });
      if (turn > 0) times[index]?.push(performance.now() - started);
    }
  }
  return times.map((list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] as number);
}

subject(
  'command',
  async (t, stage) => {
    const { settings, boxUrl } = stage;
    const dir = ['--dir', boxFolder(settings)];
    const binary = join(machineFolder(settings), 'carton');
    const given = new Set<string>();
    /** Gives a command for the box, and returns its code and output. */
    const give = (command: string, ...parameters: string[]) => {
      given.add(command);
      return carton(settings, [...command.split(' '), ...dir, ...parameters]);
    };

    await t.test('it says its version and helps', async (t) => {
      const { version } = JSON.parse(await readFile('installer/package.json', 'utf8'));
      checkEnded(t, await carton(settings, ['--version']), 0, '--version', version);
      for (const { name } of commands) {
        checkEnded(t, await carton(settings, [...name.split(' '), '--help']), 0, `${name} --help`, /Usage/);
      }
      const [own, bare] = await medians(5, [binary, ['--version']], [process.execPath, ['-e', '0']]);
      t.comment(`--version takes ${own?.toFixed(0)} ms, node -e 0 ${bare?.toFixed(0)} ms`);
    });

    await t.test('it tells about the box', async (t) => {
      for (const name of ['status', 'plan', 'config list', 'config check', 'license show', 'version', 'service unit']) {
        checkEnded(t, await give(name), 0, name, /\S/);
      }
      checkEnded(t, await give('config get', 'PORT'), 0, 'config get', String(settings.ports.box));
      checkEnded(t, await give('logs', '--lines', '5'), 0, 'logs', /\S/);
      checkEnded(t, await give('status', '--json'), 0, 'status --json', /^\{/);
      checkEnded(t, await give('open', '--print'), 0, 'open', boxUrl);
      given.add('completion');
      checkEnded(t, await carton(settings, ['completion', 'bash']), 0, 'completion', /complete/);
      const doctor = await give('doctor', '--offline');
      // It may advise, for example that the box gets a user of its own.
      t.ok(
        [exitCodes.ok.status, exitCodes.problems_found.status].some((each) => each === doctor.code),
        'doctor',
      );
      t.match(doctor.output, /backup/, 'doctor: its output');
      // On a machine without systemd it says so.
      const { code } = await give('service status');
      t.ok(
        [exitCodes.not_running.status, exitCodes.usage.status].some((each) => each === code),
        'service status',
      );
      checkEnded(t, await give('rollback'), exitCodes.no_former_release.status, 'rollback');
    });

    await t.test('it writes what support needs', async (t) => {
      const to = join(machineFolder(settings), 'support.tar.gz');
      await rm(to, { force: true });
      checkEnded(t, await give('support-bundle', '--output', to, '--offline'), 0, 'support-bundle');
      t.ok((await stat(to)).size > 1000, 'a file');
    });

    await t.test('there is no newer release', async (t) => {
      checkEnded(t, await give('upgrade'), 0, 'upgrade');
      checkEnded(t, await give('install'), 0, 'install');
      t.match(
        await give('license replace', '--key-file', join(machineFolder(settings), 'key')),
        { code: 0 },
        'the same key',
      );
    });

    await t.test('it registers the box and its domains', async (t) => {
      const words = ['--name', 'shop', '--url', 'https://box.example', '--domain', 'shop.partner.example'];
      checkEnded(t, await give('deploy', ...words), 0, 'deploy');
      checkEnded(t, await give('domains add', 'other.partner.example'), 0, 'domains add');
      checkEnded(t, await give('domains list'), 0, 'domains list', /other\.partner\.example/);
      checkEnded(t, await give('domains status'), 0, 'domains status');
      checkEnded(t, await give('domains remove', 'other.partner.example'), 0, 'domains remove');
    });

    await t.test('it stops and starts the box', async (t) => {
      checkEnded(t, await give('restart'), 0, 'restart');
      t.equal((await fetch(`${boxUrl}/health`)).status, 200, 'it serves');
      checkEnded(t, await give('stop'), 0, 'stop');
      t.notOk(await fetch(`${boxUrl}/health`).catch(() => null), 'it has stopped');
      checkEnded(t, await give('start'), 0, 'start');
      t.equal((await fetch(`${boxUrl}/health`)).status, 200, 'it serves again');
    });

    await t.test('a backup in a bucket is made', async (t) => {
      const folder = await temporaryFolder('bucket-');
      const bucket = await startS3Service(folder, 'backups');
      const passphrase = join(machineFolder(settings), 'passphrase');
      await writeFile(passphrase, 'a long passphrase of the partner\n', { mode: 0o600 });
      const access = {
        BACKUP_S3_ENDPOINT: `http://127.0.0.1:${bucket.port}`,
        BACKUP_S3_ACCESS_KEY_ID: s3Account.accessKeyId,
        BACKUP_S3_SECRET_ACCESS_KEY: s3Account.secretAccessKey,
      };
      t.teardown(async () => {
        await give('config unset', ...Object.keys(access));
        await bucket.kill();
        await rm(folder, { recursive: true, force: true });
      });
      const values = Object.entries(access).map((pair) => pair.join('='));
      checkEnded(t, await give('config set', ...values), 0, 'config set');
      const to = ['--to', 's3://backups/shop'];
      checkEnded(t, await give('backup create', ...to, '--passphrase-file', passphrase), 0, 'backup create');
      const list = await give('backup list', ...to);
      checkEnded(t, list, 0, 'backup list', /\.tar\.zst\.enc/);
    });

    await t.test('a backup on disk is made, and restored beside the box', async (t) => {
      // `deploy` has replaced it.
      const { HOSTING_SECRET = '' } = await readBoxEnvironment(settings);
      const secrets = { ...stage.secrets, hosting: HOSTING_SECRET };
      const store = await openTenant({ url: boxUrl, secrets });
      await createForSale(store, 1990, { product: { title: 'Kept' } });
      const backups = join(machineFolder(settings), 'backups');
      const copy = join(machineFolder(settings), 'copy');
      for (const path of [backups, copy]) await rm(path, { recursive: true, force: true });
      await mkdir(backups);
      checkEnded(t, await give('backup create', '--to', backups), 0, 'backup create');
      const [file = ''] = (await readdir(backups)).filter((name) => name.endsWith('.tar.zst'));
      given.add('restore').add('uninstall');
      const restore = ['restore', join(backups, file), '--dir', copy];
      checkEnded(t, await carton(settings, restore), exitCodes.unverified.status, 'restore without the backup key');
      const key = ['--backup-key-file', join(boxFolder(settings), '.backup-key')];
      checkEnded(t, await carton(settings, [...restore, ...key]), 0, 'restore');
      const port = String(await freePort());
      checkEnded(t, await carton(settings, ['config', 'set', `PORT=${port}`, '--dir', copy]), 0, 'another port');
      checkEnded(t, await carton(settings, ['start', '--dir', copy]), 0, 'start');
      const headers = { 'x-tenant-slug': store.slug, 'x-hosting-secret': HOSTING_SECRET };
      const products = await fetch(`http://127.0.0.1:${port}/products`, { headers });
      t.match(await products.text(), 'Kept', 'the restored box sells what was for sale');
      if (existsSync(terminal)) {
        const words = [
          '--quiet',
          '--command',
          `stty columns 100; ./carton uninstall --data --dir ${copy}`,
          '/dev/null',
        ];
        const refused = await runOnMachine(settings, terminal, words, 'n');
        t.match(refused.output, /remove/i, 'a question at a terminal');
        t.ok(existsSync(join(copy, 'box.json')), 'after which nothing is removed');
      } else t.pass('a question at a terminal', { skip: `${terminal} is missing` });
      const uninstalled = await carton(settings, ['uninstall', '--data', '--yes', '--dir', copy]);
      checkEnded(t, uninstalled, 0, 'uninstall');
    });

    await t.test('every command has been given, except those that need a service manager', async (t) => {
      const names = commands.map(({ name }) => name).filter((name) => !given.has(name));
      t.strictSame(names, ['backup schedule', 'service install', 'service uninstall']);
    });
  },
  { compared: false },
);
