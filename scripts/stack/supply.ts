/**
 * Installs a box of the local stack from the source tree, as partners do: packages are published to the gated registry,
 * the control plane mints a licence key, and the installer pulls the entitled packages.
 */
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { install, type Output, plainOutput } from '@carton/installer';
import type { Tier } from '@carton/runtime';
import {
  buildPackages,
  makeRelease,
  publishPackages,
  publishRelease,
  readContents,
  versionOfContent,
} from '../../tools/packages/index.ts';
import { readWorkspace, repository } from '../../tools/packages/sources.ts';
import { type StackSecrets, type StackSettings, saveSecrets } from './settings.ts';

export interface Addresses {
  box: string;
  controlPlane: string;
  registry: string;
}

/** The customer of the local stack. */
const customerId = 'local-partner';

/**
 * Builds and publishes all packages and their release. Changed packages replace the published ones of the same version,
 * so the version of the release includes a digest of its content.
 */
export async function publishAll(
  home: string,
  addresses: Addresses,
  publishSecret: string,
  log: (line: string) => void,
): Promise<void> {
  const { version } = await readWorkspace(repository);
  const packages = await buildPackages({ out: join(home, 'packages') });
  const release = makeRelease(versionOfContent(version, packages), 'stable', packages, await readContents());
  await publishPackages({ registryUrl: addresses.registry, publishSecret, packages, log, replace: true });
  await publishRelease(addresses.controlPlane, publishSecret, release);
  log(`release ${release.version} published`);
}

/** Returns the licence key for a tier. It is minted at the first call and stored with the secrets. */
export async function licenseKeyFor(
  tier: Tier,
  home: string,
  controlPlaneUrl: string,
  secrets: StackSecrets,
): Promise<string> {
  const stored = secrets.licenseKeys[tier];
  if (stored) return stored;
  const response = await fetch(`${controlPlaneUrl}/license/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secrets.adminSecret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ customerId, tier }),
  });
  const { key, detail } = (await response.json()) as { key: string; detail?: string };
  if (!response.ok) throw new Error(`the control plane rejected the request to mint a licence key: ${detail}`);
  secrets.licenseKeys[tier] = key;
  await saveSecrets(home, secrets);
  return key;
}

/** Installs the box without starting it: it runs as a part of the stack. */
export async function installBox(
  { home, ports }: StackSettings,
  addresses: Addresses,
  secrets: StackSecrets,
  licenseKey: string,
  signal: AbortSignal,
): Promise<void> {
  await install(
    {
      dir: join(home, 'box'),
      licenseKey,
      controlPlaneUrl: addresses.controlPlane,
      host: '127.0.0.1',
      port: ports.box,
      operatorSecret: secrets.operatorSecret,
      hostingSecret: secrets.hostingSecret,
      databaseUrlOfNewBox: process.env.DATABASE_URL || undefined,
      start: false,
      signal,
    },
    plainOutput() as Output,
  );
  // The stack has no TLS, and not every client sends `Secure` cookies to a loopback address.
  const environment = join(home, 'box', 'box.env');
  if (!/^SECURE_COOKIES=/m.test(await readFile(environment, 'utf8'))) {
    await appendFile(environment, 'SECURE_COOKIES=false\n');
  }
}
