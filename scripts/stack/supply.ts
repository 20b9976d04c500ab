/**
 * From the source tree to a box's folder, the way a partner gets it: packages published to the gated registry, a key
 * minted by the control plane, and the installer's own code pulling what the key entitles to.
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
 * Builds every package, publishes it and releases all of them. A package whose code changed without a new version
 * replaces the old one here, so the release's version names its content too.
 */
export async function publishAll(
  home: string,
  addresses: Addresses,
  publishSecret: string,
  say: (line: string) => void,
): Promise<void> {
  const { version } = await readWorkspace(repository);
  const packages = await buildPackages({ out: join(home, 'packages') });
  const release = makeRelease(versionOfContent(version, packages), 'stable', packages, await readContents());
  await publishPackages({ registryUrl: addresses.registry, publishSecret, packages, log: say, replace: true });
  await publishRelease(addresses.controlPlane, publishSecret, release);
  say(`release ${release.version} published`);
}

/** The licence key for a tier, minted when there is none yet. */
export async function licenseKeyFor(
  tier: Tier,
  home: string,
  controlPlaneUrl: string,
  secrets: StackSecrets,
): Promise<string> {
  const kept = secrets.licenseKeys[tier];
  if (kept) return kept;
  const response = await fetch(`${controlPlaneUrl}/license/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secrets.adminSecret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ customerId, tier }),
  });
  const answer = (await response.json()) as { key: string; detail?: string };
  if (!response.ok) throw new Error(`the control plane minted no key: ${answer.detail}`);
  secrets.licenseKeys[tier] = answer.key;
  await saveSecrets(home, secrets);
  return answer.key;
}

/** Activates, pulls, verifies and lays the box out; the box itself is started as a part of the stack. */
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
  // The stack is reached without TLS: not every client sends a cookie that asks for it to a loopback address.
  const environment = join(home, 'box', 'box.env');
  if (!/^SECURE_COOKIES=/m.test(await readFile(environment, 'utf8'))) {
    await appendFile(environment, 'SECURE_COOKIES=false\n');
  }
}
