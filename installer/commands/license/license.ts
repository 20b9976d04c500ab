/**
 * `license`: what the licence of a box includes, and another key for it.
 */
import { editSecrets } from '../../box/edit-settings.ts';
import { boxFolder, checkOwner } from '../../box/folder.ts';
import { readInstallationId } from '../../box/installation.ts';
import { withLock } from '../../box/lock.ts';
import { checkSecrets, readSecrets, requireSettings } from '../../box/settings.ts';
import { activate, channelOf, defaultChannel } from '../../control-plane.ts';
import type { Warner } from '../../control-plane-requests.ts';
import { asFailure, type Failure } from '../../failure.ts';
import { type LicenseTerms, readTerms } from '../../registration.ts';

export interface LicenseResult {
  dir: string;
  /** `unknown` if the control plane could not be asked: the rest is then what the last install found. */
  state: 'active' | 'not_active' | 'wrong_key' | 'unknown';
  /** Its beginning and last four characters; absent without a key. */
  key?: string;
  tier: string;
  customerId: string;
  channel: string;
  /** Full names of the packages it includes; absent unless it is active. */
  packages?: string[];
  /** Expiry and limits; absent if the control plane could not be asked, or is of before they could be read. */
  terms?: LicenseTerms;
  /** The tier of the installed box, if the licence has another one now. */
  installedTier?: string;
  /** Why it is not active. */
  failure?: Failure;
}

/** @throws Failure not_installed, interrupted */
export async function readLicense({ dir, signal }: { dir: string; signal?: AbortSignal }): Promise<LicenseResult> {
  const folder = boxFolder(dir);
  const { tier, customerId, channel = defaultChannel, controlPlaneUrl } = await requireSettings(folder);
  const { LICENSE_KEY: key } = await readSecrets(folder);
  const onDisk = { dir: folder.root, tier, customerId, channel };
  if (!key) return { ...onDisk, state: 'unknown' };
  const terms = await readTerms({ controlPlaneUrl, key, signal }).catch(ignoreUnlessInterrupted);
  const common = { ...onDisk, key: maskKey(key), ...(terms && { terms }) };
  try {
    // Without the id of the installation: reading takes no place of the licence.
    const activation = await activate(controlPlaneUrl, { key }, signal);
    return {
      ...common,
      state: 'active',
      tier: activation.tier,
      customerId: activation.customerId,
      channel: channelOf(activation.token),
      packages: activation.packages,
      ...(activation.tier !== tier && { installedTier: tier }),
    };
  } catch (error) {
    const failure = asFailure(error);
    if (failure.code === 'interrupted') throw failure;
    const states: Record<string, LicenseResult['state']> = { wrong_key: 'wrong_key', key_not_active: 'not_active' };
    return { ...common, state: states[failure.code] ?? 'unknown', failure };
  }
}

/**
 * Replaces the licence key of a box, once the control plane has accepted the new one. The packages stay; `install` pulls those
 * of another tier.
 * @throws Failure wrong_key, key_not_active, control_plane_unavailable, not_installed, busy, interrupted
 */
export async function replaceLicense(
  { dir, key, signal }: { dir: string; key: string; signal?: AbortSignal },
  warner?: Warner,
) {
  const folder = boxFolder(dir);
  return withLock(folder.root, 'license', async () => {
    const settings = await requireSettings(folder);
    await checkOwner(folder);
    await checkSecrets(folder);
    const installationId = await readInstallationId(folder);
    const { tier } = await activate(settings.controlPlaneUrl, { key, installationId }, signal, warner);
    const changed = (await readSecrets(folder)).LICENSE_KEY !== key;
    if (changed) await editSecrets(folder, new Map([['LICENSE_KEY', key]]));
    return { dir: folder.root, key: maskKey(key), tier, changed, installedTier: settings.tier };
  });
}

/** The activation that follows says what is wrong. */
function ignoreUnlessInterrupted(error: unknown): undefined {
  if (asFailure(error).code === 'interrupted') throw error;
}

/** The part of a key that can be shown, such as `ctn_basic_…q7ma`. */
function maskKey(key: string): string {
  const [, start = ''] = /^([a-z]+_[a-z]+_)/.exec(key) ?? [];
  return key.length - start.length >= 16 ? `${start}…${key.slice(-4)}` : `${start}…`;
}
