/**
 * `npm start`: the start of the local stack, step by step.
 */
import { readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { vendor } from '@carton/runtime';
import { createDemoStore, demoSlug } from '../stack/demo-store/index.ts';
import { printGuide } from '../stack/guide.ts';
import { stopOrphanedParts } from '../stack/orphaned-parts.ts';
import { type Part, rejectPortsInUse, startPart } from '../stack/parts.ts';
import {
  help,
  loadSecrets,
  readSettings,
  type StackSettings,
  saveSecrets,
  UsageError,
  writePrivately,
} from '../stack/settings.ts';
import { type Addresses, installBox, licenseKeyFor, publishAll } from '../stack/supply.ts';

const root = join(import.meta.dirname, '../..');
const source = '--conditions=workspace-source';
const say = (line: string) => console.log(`stack: ${line}`);

async function run(settings: StackSettings, parts: Part[], signal: AbortSignal): Promise<void> {
  const { home, ports, tier } = settings;
  await stopOrphanedParts(home, say);
  await rejectPortsInUse({
    CONTROL_PLANE_PORT: ports.controlPlane,
    REGISTRY_PORT: ports.registry,
    BOX_PORT: ports.box,
  });
  await mkdir(home, { recursive: true });
  const secrets = await loadSecrets(home);
  const addresses: Addresses = {
    box: `http://127.0.0.1:${ports.box}`,
    controlPlane: `http://127.0.0.1:${ports.controlPlane}`,
    registry: `http://127.0.0.1:${ports.registry}`,
  };
  const start = async (name: string, program: string[], readyUrl: string, environment: Record<string, string>) => {
    signal.throwIfAborted();
    say(`starting ${name}`);
    const part = startPart({ name, program, environment, readyUrl }, home, say);
    parts.unshift(part);
    await part.ready();
    signal.throwIfAborted();
  };

  await start('control-plane', [source, join(root, 'control-plane/main.ts')], `${addresses.controlPlane}/health`, {
    HOST: '127.0.0.1',
    CONTROL_PLANE_PORT: String(ports.controlPlane),
    CONTROL_PLANE_HOME: join(home, 'control-plane'),
    DATABASE_URL: process.env.CONTROL_PLANE_DATABASE_URL ?? '',
    ADMIN_SECRET: secrets.adminSecret,
    REGISTRY_SECRET: secrets.registrySecret,
    PUBLISH_SECRET: secrets.publishSecret,
    REGISTRY_URL: addresses.registry,
    HOSTING_SECRET: secrets.hostingSecret,
    NAMESERVERS: `ns1.${vendor.name}.test,ns2.${vendor.name}.test`,
    // The box of the stack is at http://127.0.0.1.
    ALLOW_HTTP_BACKENDS: 'true',
    ALLOW_PRIVATE_BACKENDS: 'true',
  });
  await start('registry', [source, join(root, 'control-plane/registry/main.ts')], `${addresses.registry}/-/ping`, {
    REGISTRY_PORT: String(ports.registry),
    REGISTRY_STORAGE: join(home, 'registry'),
    REGISTRY_PUBLIC_URL: addresses.registry,
    CONTROL_PLANE_URL: addresses.controlPlane,
    REGISTRY_SECRET: secrets.registrySecret,
    PUBLISH_SECRET: secrets.publishSecret,
  });
  say('publishing packages');
  await publishAll(home, addresses, secrets.publishSecret, say);
  const licenseKey = await licenseKeyFor(tier, home, addresses.controlPlane, secrets);
  say(`installing the box (${tier})`);
  await installBox(settings, addresses, secrets, licenseKey, signal);
  await start(
    'box',
    [source, join(root, 'installer/cli.ts'), 'start', '--foreground', '--dir', join(home, 'box')],
    `${addresses.box}/health`,
    {},
  );
  const lock = JSON.parse(readFileSync(join(home, 'box/current/carton.lock.json'), 'utf8'));
  say('filling the demo store');
  // A store that its owner has changed must not keep the stack from starting.
  await createDemoStore(addresses.box, secrets, Object.keys(lock.packages), (changed) =>
    saveSecrets(home, changed),
  ).catch((error) => {
    signal.throwIfAborted();
    say(`the demo store could not be filled, and the next start will try again: ${error.message}`);
  });
  const { adminSecret, registrySecret, hostingSecret, operatorSecret, staff } = secrets;
  const stack = {
    boxUrl: addresses.box,
    controlPlaneUrl: addresses.controlPlane,
    registryUrl: addresses.registry,
    adminSecret,
    registrySecret,
    hostingSecret,
    operatorSecret,
    licenseKey,
    tier,
    tenant: demoSlug,
    staff,
  };
  await writePrivately(join(home, 'stack.json'), stack);
  printGuide(join(home, 'stack.json'), stack);
}

async function main(): Promise<number> {
  const settings = readSettings(process.argv.slice(2), process.env);
  if (!settings) {
    console.log(help);
    return 0;
  }
  const parts: Part[] = [];
  const stopping = new AbortController();
  const stopRequested = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        stopping.abort();
        resolve();
      });
    }
  });
  let code = 0;
  try {
    await run(settings, parts, stopping.signal);
    await stopRequested;
  } catch (error) {
    if (!stopping.signal.aborted) {
      console.error(`stack: ${(error as Error).message}`);
      code = 1;
    }
  }
  // If no part was started, nothing here is ours: another stack may be running in this folder.
  if (parts.length === 0) return code;
  say('stopping');
  for (const part of parts) await part.stop();
  await rm(join(settings.home, 'stack.json'), { force: true });
  return code;
}

try {
  process.exit(await main());
} catch (error) {
  console.error(`stack: ${(error as Error).message}`);
  process.exit(error instanceof UsageError ? 2 : 1);
}
