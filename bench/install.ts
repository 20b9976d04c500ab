/**
 * Time from the installer's command until an enterprise box is healthy, beside `npm install` of the same packages from the
 * same server, in alternating rounds. Then an install with nothing to do, and `--version` beside the start of Node.
 *
 * The installer does more than npm: it verifies each file, flushes the packages to the disk, creates a database, migrates
 * it and starts the box.
 *
 * What a round has written stays until the end. ext4 without a journal does not use the number of a removed file again for
 * minutes, and looks through all of those for each new file: rounds that removed their files took longer one by one. On
 * such a disk, let five minutes pass between two runs.
 */
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort, temporaryFolder } from '@carton/runtime/testing';
import { type SmallVendor, startSmallVendor } from '../tools/installs/vendor.ts';
import { type Measurement, measureAlternately, median, rounded } from '../tools/load/measurement.ts';
import { buildPackages } from '../tools/packages/index.ts';

const rounds = 5;
const shortRounds = 15;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const binary = join(root, 'dist', `carton-linux-${process.arch}`);
const run = promisify(execFile);

export async function measure(): Promise<Measurement> {
  await access(binary).catch(() => {
    throw new Error(`${binary} is missing: run npm run build:installer`);
  });
  const folder = await temporaryFolder('bench-install-');
  const vendor = await startSmallVendor();
  try {
    const packages = await buildPackages({ out: join(root, 'node_modules/.cache/bench-packages') });
    const { version } = packages[0] as { version: string };
    await vendor.release({ version, packages });
    const selected = packages.filter(({ name, kind }) => kind === 'product' || name.endsWith(`-${platform}`));
    const measured = await measureAlternately(
      'install',
      rounds,
      {
        what: 'carton install, until the box is healthy',
        unit: 'ms',
        measure: (round) => installBox(join(folder, `box-${round}`), vendor),
      },
      {
        what: `npm install of the same ${selected.length} packages`,
        unit: 'ms',
        measure: () =>
          npmInstall(
            folder,
            vendor,
            selected.map(({ name }) => name),
          ),
      },
    );
    await measureShort(folder, vendor);
    return measured;
  } finally {
    await vendor.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const platform = `${process.platform}-${process.arch}`;

/** Begins with nothing left to write, so that neither pays for what the other wrote. @returns milliseconds */
async function timeOf(work: () => Promise<unknown>): Promise<number> {
  await run('sync');
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** The command line and environment of an install into a folder. */
async function installerFor(box: string, vendor: SmallVendor) {
  const port = await freePort();
  const environment = { PATH: process.env.PATH, HOME: dirname(box), CARTON_LICENSE_KEY: vendor.licenceKey };
  const carton = (...words: string[]) => run(binary, [...words, '--dir', box], { env: environment });
  const install = () => carton('install', '--port', String(port), '--control-plane', vendor.url);
  return { install, stop: () => carton('stop') };
}

async function installBox(box: string, vendor: SmallVendor): Promise<number> {
  const { install, stop } = await installerFor(box, vendor);
  try {
    return await timeOf(install);
  } finally {
    await stop();
  }
}

/** Without a cache of earlier rounds, scripts and checks of the public registry. */
async function npmInstall(folder: string, vendor: SmallVendor, names: string[]): Promise<number> {
  const project = await mkdtemp(join(folder, 'npm-'));
  const cache = join(project, 'cache');
  await mkdir(cache);
  const { host } = new URL(vendor.url);
  await writeFile(join(project, '.npmrc'), `registry=${vendor.url}/\n//${host}/:_authToken=${vendor.token}\n`);
  await writeFile(join(project, 'package.json'), '{ "private": true }\n');
  const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--cache', cache, ...names];
  return timeOf(() => run('npm', words, { cwd: project, env: { PATH: process.env.PATH, HOME: project } }));
}

async function measureShort(folder: string, vendor: SmallVendor): Promise<void> {
  const box = join(folder, 'box');
  const { install, stop } = await installerFor(box, vendor);
  await install();
  const times: { nothing: number[]; version: number[]; node: number[] } = { nothing: [], version: [], node: [] };
  try {
    for (let round = 0; round < shortRounds; round++) {
      times.nothing.push(await timeOf(install));
      times.version.push(await timeOf(() => run(binary, ['--version'], { env: {} })));
      times.node.push(await timeOf(() => run(process.execPath, ['-e', '0'], { env: {} })));
    }
  } finally {
    await stop();
  }
  const [nothing, version, node] = [times.nothing, times.version, times.node].map(median) as [number, number, number];
  console.log(`nothing to do: ${nothing.toFixed(0)} ms`);
  const ratio = rounded(version / node, 2);
  console.log(`--version: ${version.toFixed(0)} ms, node -e 0: ${node.toFixed(0)} ms, ${ratio} times`);
}
