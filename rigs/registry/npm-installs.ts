/**
 * Installs of all packages by npm's own client, each a process with a cache of its own, while the control plane is away:
 * all succeed, in bounded memory of the registry, and each download is reported once the control plane is back.
 */
import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rounded } from '../../tools/load/measurement.ts';
import type { Findings, Stage } from '../support/rig.ts';
import type { Customer, Registry, Vendor } from '../support/vendor.ts';
import { withoutControlPlane } from './outage.ts';

/** Processes at a time: more of them only wait for the processor. */
const parallel = 8;

/** @param options.installs by as many customers as there are tens of them */
export async function installWithoutControlPlane(
  stage: Stage,
  vendor: Vendor,
  { installs }: { installs: number },
): Promise<Findings> {
  const times: number[] = [];
  const outage = await withoutControlPlane(stage, vendor, {
    name: 'npm',
    customers: Math.ceil(installs / 10),
    async download(customers, registry, serve) {
      stage.say(`${installs} runs of npm install, ${parallel} at a time, without a control plane`);
      const broken: string[] = [];
      const left = Array.from({ length: installs }, (_, at) => at);
      const work = async () => {
        for (let at = left.shift(); at !== undefined; at = left.shift()) {
          const customer = customers[at % customers.length] as Customer;
          const folder = join(stage.folder, `npm-${at}`);
          const began = performance.now();
          const { code, output } = await npmInstall(stage, folder, registry, customer);
          times.push((performance.now() - began) / 1000);
          if (code !== 0)
            broken.push(`npm install ended with ${code}: ${output.trim().split('\n').slice(0, 3).join(' ')}`);
          serve(customer, await installedIn(folder));
          await rm(folder, { recursive: true, force: true });
          if (times.length % 20 === 0) stage.say(`${times.length} installs`);
        }
      };
      await Promise.all(Array.from({ length: parallel }, work));
      return broken;
    },
  });
  const { broken, downloads, seconds, peak, deliverySeconds } = outage;
  return {
    broken,
    counts: {
      npmInstalls: times.length,
      npmDownloads: downloads,
      npmSeconds: rounded(seconds, 0),
      npmMedianSeconds: rounded(times.sort((a, b) => a - b)[times.length >> 1] ?? 0, 1),
      npmRegistryPeakMiB: rounded(peak / 1024 ** 2, 0),
      npmSecondsToDeliverReports: rounded(deliverySeconds, 1),
    },
  };
}

/** Runs `npm install` of all packages of a licence in a new folder, which has the cache too. */
async function npmInstall(stage: Stage, folder: string, { url }: Registry, { token, packages }: Customer) {
  await mkdir(folder);
  const dependencies = Object.fromEntries(packages.map((name) => [name, 'latest']));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'shop', version: '1.0.0', dependencies }));
  const settings = [
    `registry=${url}/`,
    `${url.replace(/^http:/, '')}/:_authToken=${token}`,
    `cache=${folder}/cache`,
    // What fails is to be seen.
    'fetch-retries=0',
    'audit=false',
    'fund=false',
    'ignore-scripts=true',
    'update-notifier=false',
  ];
  const settingsFile = join(folder, 'npmrc');
  await writeFile(settingsFile, `${settings.join('\n')}\n`, { mode: 0o600 });
  const child = spawn('npm', ['install'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      npm_config_userconfig: settingsFile,
      npm_config_globalconfig: join(folder, 'none'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: stage.signal,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', reject);
  });
  return { code, output };
}

/** How many tarballs npm has downloaded into a folder, by its own record of what it installed. */
async function installedIn(folder: string): Promise<number> {
  const record = await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8').catch(() => '{}');
  const { packages = {} } = JSON.parse(record) as { packages?: Record<string, { resolved?: string }> };
  return Object.values(packages).filter(({ resolved }) => resolved?.endsWith('.tgz')).length;
}
