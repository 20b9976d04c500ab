/**
 * The vendor: control plane, registry and hosting service from what they are shipped as, and the packages in the
 * registry, published by the vendor's own command.
 */
import { join } from 'node:path';
import type { InstalledServices } from './containerfile.ts';
import { type RunningService, runCommand, startService } from './processes.ts';
import { localUrl, logFile, type StackSettings } from './settings.ts';

const fromSources = '--conditions=workspace-source';

/** Starts the services, the control plane first. @param started receives each, so that it can be stopped */
export async function startVendor(
  settings: StackSettings,
  services: InstalledServices,
  databaseUrl: string,
  started: (service: RunningService) => void,
): Promise<void> {
  const { ports, secrets } = settings;
  const controlPlaneUrl = localUrl(ports.controlPlane);
  const shared = { PATH: process.env.PATH ?? '', NODE_ENV: 'production' };
  const start = async (name: string, command: readonly string[], ready: string, own: Record<string, string>) =>
    started(
      await startService({
        name,
        program: process.execPath,
        parameters: command,
        folder: services.folder,
        environment: { ...shared, ...own },
        log: logFile(settings, name),
        ready,
      }),
    );
  await start('control-plane', services.commandOf('control-plane'), `${controlPlaneUrl}/health`, {
    DATABASE_URL: databaseUrl,
    CONTROL_PLANE_PORT: String(ports.controlPlane),
    ADMIN_SECRET: secrets.admin,
    REGISTRY_SECRET: secrets.registry,
    PUBLISH_SECRET: secrets.publish,
    HOSTING_SECRET: secrets.hosting,
    METRICS_SECRET: secrets.metrics,
    REGISTRY_URL: localUrl(ports.registry),
    NAMESERVERS: 'ns1.vendor.example,ns2.vendor.example',
    // Nothing here asks the machine's DNS server. On this port there is one only while someone has started it.
    NAMESERVER_LOOKUP: `127.0.0.1:${ports.dns}`,
    // The box is on this machine, without TLS.
    ALLOW_HTTP_BACKENDS: 'true',
    ALLOW_PRIVATE_BACKENDS: 'true',
  });
  await start('registry', services.commandOf('registry'), `${localUrl(ports.registry)}/-/ping`, {
    REGISTRY_PORT: String(ports.registry),
    REGISTRY_STORAGE: join(settings.folder, 'registry'),
    REGISTRY_HOME: join(settings.folder, 'registry'),
    REGISTRY_PUBLIC_URL: localUrl(ports.registry),
    CONTROL_PLANE_URL: controlPlaneUrl,
    REGISTRY_SECRET: secrets.registry,
    PUBLISH_SECRET: secrets.publish,
    METRICS_SECRET: secrets.metrics,
  });
  // It is started in the same folder, as its README has it.
  const hosting = [fromSources, 'control-plane/hosting/main.ts'];
  await start('hosting', hosting, `${localUrl(ports.hosting)}/ask?domain=nobody.example`, {
    HOSTING_PORT: String(ports.hosting),
    HOSTING_NAMES_PORT: String(ports.hostingNames),
    CONTROL_PLANE_URL: controlPlaneUrl,
    HOSTING_SECRET: secrets.hosting,
    PROXY_SECRET: secrets.proxy,
  });
}

/** Builds the packages of this machine's platform into the stack's folder. */
export function buildPackages(root: string, settings: StackSettings, exited: () => void): Promise<void> {
  return publishWith(root, settings, 'build-packages', ['--build'], exited);
}

/** Publishes the built packages and their release. */
export function publishPackages(root: string, settings: StackSettings, exited: () => void): Promise<void> {
  const { ports } = settings;
  const addresses = ['--registry', localUrl(ports.registry), '--control-plane', localUrl(ports.controlPlane)];
  return publishWith(root, settings, 'publish-packages', addresses, exited);
}

function publishWith(
  root: string,
  settings: StackSettings,
  name: string,
  parameters: string[],
  exited: () => void,
): Promise<void> {
  const out = join(settings.folder, 'packages');
  return runCommand({
    name,
    program: process.execPath,
    parameters: [fromSources, 'scripts/release/publish-packages.ts', '--this-platform', '--out', out, ...parameters],
    folder: root,
    environment: { PATH: process.env.PATH ?? '', PUBLISH_SECRET: settings.secrets.publish },
    log: logFile(settings, name),
    exited,
  });
}

/** Builds the binary of the installer into `dist/`. */
export function buildInstaller(root: string, settings: StackSettings, exited: () => void): Promise<void> {
  return runCommand({
    name: 'build-installer',
    program: process.execPath,
    parameters: [fromSources, 'scripts/release/build-installer.ts', '--this-platform'],
    folder: root,
    environment: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' },
    log: logFile(settings, 'build-installer'),
    exited,
  });
}

/** Mints a licence key for the highest tier. */
export async function mintKey({ ports, secrets }: StackSettings): Promise<string> {
  const response = await fetch(`${localUrl(ports.controlPlane)}/license/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secrets.admin}`, 'content-type': 'application/json' },
    body: JSON.stringify({ customerId: 'partner', tier: 'enterprise' }),
  });
  const { key } = (await response.json()) as { key?: string };
  if (key === undefined) throw new Error(`the control plane mints no key: ${response.status}`);
  return key;
}
