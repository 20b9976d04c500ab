// A registry for tests, on a free port: alone or with a stub of its control plane, empty or with packages.

import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type Registry, type RegistryOptions, startRegistry } from '../index.ts';
import { npm } from './clients.ts';
import {
  type ControlPlaneStub,
  generateKey,
  registrySecret,
  type SigningKey,
  signToken,
  startControlPlaneStub,
  type TokenClaims,
} from './control-plane-stub.ts';

export const publishSecret = 'publish-secret-of-the-tests';

/** Creates a folder that is deleted after the test. */
export async function makeFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'registry-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a registry that stops with the test. */
export async function startTestRegistry(
  t: Test,
  options: Partial<RegistryOptions> & { controlPlaneUrl: string },
): Promise<Registry> {
  const storage = options.storage ?? (await makeFolder(t));
  const registry = await startRegistry({
    port: 0,
    host: '127.0.0.1',
    registrySecret,
    publishSecret,
    log: () => {},
    ...options,
    storage,
  });
  t.teardown(() => registry.stop());
  return registry;
}

/** The key of all control planes that `openRegistry` starts. */
let key: SigningKey | undefined;

/**
 * Starts a registry with a stub of its control plane, or with a `controlPlane` that runs already. `tokenOf` signs an
 * activation token for it with the first key of the control plane.
 */
export async function openRegistry(
  t: Test,
  { controlPlane: running, ...options }: Partial<RegistryOptions> & { controlPlane?: ControlPlaneStub } = {},
) {
  key ??= generateKey();
  const controlPlane = running ?? (await startControlPlaneStub(t, [key]));
  const registry = await startTestRegistry(t, { ...options, controlPlaneUrl: controlPlane.url });
  const [signer = key] = controlPlane.state.keys;
  const tokenOf = (claims: TokenClaims = {}) => signToken(signer, registry.url, claims);
  return { controlPlane, registry, tokenOf, key: signer };
}

/** Creates the folder of a package, which `npm publish` packs. */
export async function makePackage(
  t: Test,
  manifest: { name: string; version: string; [key: string]: unknown },
): Promise<string> {
  const folder = await makeFolder(t);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ license: 'UNLICENSED', ...manifest }));
  await writeFile(join(folder, 'index.js'), `module.exports = ${JSON.stringify(manifest.name)};\n`);
  return folder;
}

type Manifest = { name: string; version: string; [key: string]: unknown };

/** Publishes packages with npm's own client and the publisher's secret. */
export async function publish(t: Test, registry: Registry, ...manifests: Manifest[]): Promise<void> {
  for (const manifest of manifests) {
    const { code, output } = await npm(registry, await makePackage(t, manifest), publishSecret, 'publish');
    if (code !== 0) throw new Error(output);
  }
}

/** Publishes packages once. The returned function creates storage folders that contain them. */
export async function prepareStorage(t: Test, ...manifests: Manifest[]): Promise<(t: Test) => Promise<string>> {
  const prepared = await makeFolder(t);
  const registry = await startTestRegistry(t, { controlPlaneUrl: 'http://127.0.0.1:9', storage: prepared });
  await publish(t, registry, ...manifests);
  await registry.stop();
  return async (t) => {
    const folder = await makeFolder(t);
    await cp(prepared, folder, { recursive: true });
    return folder;
  };
}

/** Waits until a condition is true. The timeout of the test limits the wait. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}
