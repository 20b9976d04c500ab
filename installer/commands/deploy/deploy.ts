/**
 * `deploy`: registers a box with its URLs and domains at the control plane, and gives it the secret of the website hosting
 * layer. It can be repeated, and then needs no options.
 */
import { editSecrets } from '../../box/edit-settings.ts';
import { type BoxFolder, boxFolder, checkOwner } from '../../box/folder.ts';
import { withLock } from '../../box/lock.ts';
import { findRunningBox } from '../../box/running.ts';
import {
  type BoxSettings,
  type Deployment,
  readSecrets,
  requireSettings,
  writeBoxSettings,
} from '../../box/settings.ts';
import type { Warner } from '../../control-plane-requests.ts';
import { Failure } from '../../failure.ts';
import type { Output } from '../../output/output.ts';
import {
  type RegisteredBox,
  type RegistrationAccess,
  readBox,
  registerBox,
  replaceHostingSecret,
} from '../../registration.ts';
import { vendor } from '../../vendor.ts';

/** Options of `deploy`; those that are left out stay as they are. */
export interface DeployOptions {
  /** The box's folder. */
  dir: string;
  name?: string | undefined;
  url?: string | undefined;
  storefrontUrl?: string | undefined;
  /** The complete list. */
  domains?: readonly string[] | undefined;
  /** Whether to replace the hosting secret; otherwise a box gets one with its first registration. */
  newHostingSecret?: boolean | undefined;
  signal?: AbortSignal;
}

export interface DeployResult {
  dir: string;
  box: RegisteredBox;
  nameservers: string[];
  hostingSecret: Deployment['hostingSecret'];
  /** Whether a box runs that has not got its hosting secret yet. */
  restartNeeded: boolean;
}

/**
 * Registers the box.
 * @throws Failure usage, not_installed, busy, wrong_key, key_not_active, control_plane_unavailable, interrupted
 */
export async function deploy(options: DeployOptions, output: Output): Promise<DeployResult> {
  const folder = boxFolder(options.dir);
  return withLock(folder.root, 'deploy', async () => {
    const settings = await requireSettings(folder);
    await checkOwner(folder);
    const access = await accessOf(folder, settings, options.signal, output);
    const name = options.name ?? settings.deployment?.name;
    if (name === undefined) {
      throw new Failure(
        'usage',
        'the box is not registered yet',
        `Run ${vendor} deploy --name <name> --url https://box.example.com --domain shop.example.com`,
      );
    }
    const before = await readBox(access, name);
    const deployment = chooseDeployment(options, settings, before, name);
    // Written first: if anything below fails, the next deploy goes on with it.
    await writeBoxSettings(folder, { ...settings, deployment });
    const domains = options.domains ?? before?.domains.map(({ domain }) => domain) ?? [];
    const { url: backendUrl, storefrontUrl: frontendUrl } = deployment;
    const nameservers = await registerBox(access, { name, backendUrl, frontendUrl, domains });
    output.info('registered', `${name} is registered with ${domains.length} domains`, { name, domains });
    let isNew = false;
    if (deployment.hostingSecret === 'due') {
      const secret = await replaceHostingSecret(access, name);
      await editSecrets(folder, new Map([['HOSTING_SECRET', secret]]));
      deployment.hostingSecret = 'set';
      await writeBoxSettings(folder, { ...settings, deployment });
      output.info('hosting_secret', 'the box has the secret of the website hosting layer');
      isNew = true;
    }
    const box = await requireBox(access, name);
    const restartNeeded = isNew && (await findRunningBox(folder)) !== undefined;
    return { dir: folder.root, box, nameservers, hostingSecret: deployment.hostingSecret, restartNeeded };
  });
}

function chooseDeployment(
  options: DeployOptions,
  settings: BoxSettings,
  before: RegisteredBox | undefined,
  name: string,
): Deployment {
  const stored = settings.deployment?.name === name ? settings.deployment : undefined;
  const url = options.url ?? stored?.url ?? before?.backendUrl;
  if (url === undefined) {
    throw new Failure('usage', 'the public URL of the box is missing', 'Specify it with --url https://box.example.com');
  }
  const storefrontUrl = options.storefrontUrl ?? stored?.storefrontUrl ?? before?.frontendUrl ?? undefined;
  // Other boxes on the same database have the secret of a box that was registered before, and would lose it.
  const isDue = options.newHostingSecret === true || before === undefined || stored?.hostingSecret === 'due';
  const hostingSecret = isDue ? 'due' : (stored?.hostingSecret ?? 'unchanged');
  return { name, url, ...(storefrontUrl && { storefrontUrl }), hostingSecret };
}

/** What identifies an installed box at its control plane. @throws Failure usage without a licence key */
export async function accessOf(
  folder: BoxFolder,
  { controlPlaneUrl }: BoxSettings,
  signal?: AbortSignal,
  warner?: Warner,
): Promise<RegistrationAccess> {
  const { LICENSE_KEY: key } = await readSecrets(folder);
  if (key) return { controlPlaneUrl, key, signal, warner };
  throw new Failure('usage', 'the box has no licence key', `Run ${vendor} license replace --key-file <path>`);
}

/** Reads a registered box. @throws Failure usage if there is none of this name */
export async function requireBox(access: RegistrationAccess, name: string): Promise<RegisteredBox> {
  const box = await readBox(access, name);
  if (box) return box;
  throw new Failure('usage', `the control plane has no box named ${name}`, `Run ${vendor} deploy to register it`);
}
